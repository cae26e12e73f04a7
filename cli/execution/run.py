"""A run at the terminal: show its events, ask its questions, handle signals."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ...config import exit_codes, paths
from ...config.settings.loader import load_settings
from ...sdk.events import Completion, Event, Failure, Interrupted, Question, RunStarted
from ...tools.process.own_memory import close_memory
from ..lazy_imports import without_collector
from ..options import AnswerStyle, OutputFormat, is_verbose
from ..prompts.interruptible_input import run_interruptible
from ..rendering.console import open_console
from ..rendering.renderer import JsonRenderer, Renderer, create_text_renderer
from . import terminal_signals
from .background_end import collect_running, show_stopped
from .cancellation import CancellableStream
from .interactive_run import InteractiveRun
from .stop_signal import StopSignal, build_exit, find_termination_signals, run_stoppable

if TYPE_CHECKING:
    from rich.console import Console

    from ...sdk.runner import Runner
    from ..rendering.chat_renderer import AnswerRenderer
    from ..rendering.text_renderer import TextRenderer

Said = TypeVar("Said")
Start = Callable[["Runner"], AsyncGenerator[Event]]
# Opens a runner that is not of this machine
OpenRunner = Callable[[], AbstractAsyncContextManager["Runner"]]
Talk = Callable[[InteractiveRun], Awaitable[Event | None]]


def run_in_terminal(
    start: Start,
    output: OutputFormat,
    answer: AnswerStyle | None = None,
    *,
    seconds: float = 0.0,
    elsewhere: OpenRunner | None = None,
) -> int:
    """Run to the end or to a question that nobody here can answer; return the exit code.

    `answer` is for a conversation; `seconds` is the time limit, 0: none; `elsewhere` opens the
    runner of a server.
    """

    def consume_events(dialogue: InteractiveRun) -> Awaitable[Event | None]:
        return dialogue.consume(start(dialogue.runner))

    renderer = open_renderer(output, answer)
    return run_interactive(consume_events, renderer, output, seconds, elsewhere)


def open_renderer(
    output: OutputFormat, answer: AnswerStyle | None = None, show_thinking: bool | None = None
) -> Renderer:
    """Open the renderer that the user asks for, with details on stderr for `--verbose`.

    `answer` is for a conversation; without `show_thinking` the configuration decides.
    """
    if output is OutputFormat.events:
        from ...sdk.runs.event_messages import EventMessages

        return _add_details(JsonRenderer(every_event=True, to_json=EventMessages().build))
    if output is not OutputFormat.text:
        events = JsonRenderer(every_event=output is OutputFormat.stream_json)
        return _add_details(events)
    if show_thinking is None:
        show_thinking = load_settings(Path.cwd(), paths.locate_home()).settings.model.show_thinking
    text_renderer = _open_text_renderer(answer, show_thinking=show_thinking)
    renderer = _add_details(text_renderer)
    console = open_console()
    if not console.file.isatty() or console.is_dumb_terminal:
        return renderer
    from ..rendering.progress import ProgressRenderer

    progress = ProgressRenderer(renderer, console, lambda: text_renderer.live_rows)
    return SignalRenderer(progress, console)


def _open_text_renderer(
    answer: AnswerStyle | None, *, show_thinking: bool
) -> "TextRenderer | AnswerRenderer":
    if answer is None:
        return create_text_renderer(show_thinking=show_thinking)
    from ..rendering.chat_renderer import AnswerRenderer

    return AnswerRenderer(answer, show_thinking=show_thinking)


def _add_details(renderer: Renderer) -> Renderer:
    if not is_verbose():
        return renderer
    from .verbose import VerboseRenderer

    return VerboseRenderer(renderer)


def run_interactive(
    talk: Talk,
    renderer: Renderer,
    output: OutputFormat,
    seconds: float = 0.0,
    elsewhere: OpenRunner | None = None,
) -> int:
    """Run any dialogue, with a time limit in seconds unless it is 0; return the exit code."""
    can_ask = output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty()
    ask = ask_at_once if can_ask else None
    open_runner = elsewhere or _load_runner()

    async def run(stop: StopSignal) -> int:
        close_memory()
        async with open_runner() as runner:
            watch = CancellableStream(runner, renderer, seconds, stop)
            last = await talk(InteractiveRun(runner, watch.show_events, ask))
            running = [] if elsewhere else collect_running(runner)
        renderer.show_end(last)
        show_stopped(running)
        return to_exit_code(last)

    return run_stoppable(run)


def _load_runner() -> OpenRunner:
    with without_collector():
        from ...sdk.runner import Runner

    return Runner


async def ask_at_once(question: Callable[[], Said]) -> Said:
    """Ask at once: nothing else runs meanwhile; SIGTERM or a closed terminal ends the process."""
    exits = {number: partial(build_exit, number) for number in find_termination_signals()}
    return run_interruptible(exits, question)


def to_exit_code(last: Event | None) -> int:
    """Return the process's exit code after a stream's last event if no signal ended it."""
    match last:
        case (
            Completion(outcome="failed") | Completion(graph="edit", outcome="unverified", files=[])
        ):
            return exit_codes.FAILED
        case Completion():
            return exit_codes.DONE
        case Question(kind="limit") | Interrupted(reason="timeout"):
            return exit_codes.LIMIT_REACHED
        case Question():
            return exit_codes.NEEDS_ANSWER
        case Failure(exit_code=code):
            return code
        case Interrupted() | None:
            return exit_codes.INTERRUPTED
        case _:
            return exit_codes.FAILED


class SignalRenderer:
    """Wraps another renderer, and tells the terminal's window what the run does."""

    def __init__(self, renderer: Renderer, console: "Console") -> None:
        self._renderer, self._console = renderer, console

    def show_event(self, event: Event) -> None:
        """Show one event; where a run begins, or asks, the window says so."""
        match event:
            case RunStarted():
                title = terminal_signals.build_title_code(event.title)
                self._send(
                    title,
                    terminal_signals.build_progress_code("busy"),
                    terminal_signals.build_state_code("working"),
                )
            case Question():
                self._send(
                    terminal_signals.build_progress_code("none"),
                    terminal_signals.describe_question(event),
                )
            case _:
                pass
        self._renderer.show_event(event)

    def pause(self) -> None:
        """End the open line or block before other output."""
        self._renderer.pause()

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._renderer.show_stopping()

    def show_end(self, last: Event | None) -> None:
        """Show how the run ended, in the window too."""
        self._renderer.show_end(last)
        match last:
            case Question():
                state = terminal_signals.describe_question(last)
            case Completion(outcome="failed") | Failure():
                state = terminal_signals.build_state_code("error")
            case Completion():
                state = terminal_signals.build_state_code("done")
            case _:
                state = terminal_signals.build_state_code("clear")
        self._send(terminal_signals.build_progress_code("none"), state)

    def _send(self, *codes: str) -> None:
        self._console.file.write("".join(codes))
        self._console.file.flush()
