"""A Runner for programs that shows its runs at the terminal, as `mcode` does, and asks there."""

import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing

from ...config.arguments import validate_arguments
from ...sdk.events import Event, RunStarted
from ...sdk.graph_registry import CHAT
from ...sdk.runner import Runner
from ...sdk.runs.result import RunResult, build_result
from ..options import AnswerStyle, OutputFormat
from ..rendering.renderer import Renderer
from .interactive_run import InteractiveRun
from .run import ask_at_once, open_renderer


class TerminalRunner(Runner):
    """A Runner whose runs a person follows, and answers, at the terminal.

        async with TerminalRunner() as runner:
            result = await runner.run(runner.task("Repair the test", folder="."))

    The answer, or the report of a task, is on stdout, all else on stderr. Where stdin or stderr is
    no terminal, a question stays open and the run ends with it.
    """

    @validate_arguments
    async def run(self, events: AsyncGenerator[Event]) -> RunResult:
        """Show a run to its end; raises MaxAgentError if it failed, or for wrong input."""
        can_ask = sys.stdin.isatty() and sys.stderr.isatty()
        view = _RunView(self)
        dialogue = InteractiveRun(self, view.show, ask_at_once if can_ask else None)
        last = await dialogue.consume(events)
        if view.renderer:
            view.renderer.show_end(last)
        return build_result([last] if last else [])


class _RunView:
    """Shows a run, and those that follow from its answers, with the renderer of its graph."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.renderer: Renderer | None = None

    async def show(self, events: AsyncGenerator[Event]) -> Event | None:
        """Show a stream to its end; return the last event."""
        last: Event | None = None
        async with aclosing(events):
            async for last in events:
                if self.renderer is None:
                    self.renderer = self._open_renderer(last)
                self.renderer.show_event(last)
        return last

    def _open_renderer(self, first: Event) -> Renderer:
        thread = first.thread_id if isinstance(first, RunStarted) else ""
        is_chat = thread and self._runner.threads.find(thread).graph == CHAT.name
        return open_renderer(OutputFormat.text, AnswerStyle.streamed if is_chat else None)
