"""One conversation as the command line speaks with it: the first message may begin it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from ..nodes.state import FOR_ONE_MESSAGE, Options
from ..sdk.events import Event, RunStarted
from ..sdk.runner import Runner


@dataclass
class Speaker:
    """Says one message after another."""

    folder: Path
    options: Options
    name: str = ""
    """For a conversation that is begun."""
    thread: str = ""
    """Its id; empty until it has begun."""
    _has_spoken: bool = False

    async def say(
        self, runner: Runner, text: str, *, abandon: bool = False
    ) -> AsyncGenerator[Event]:
        """One turn; raises UnfinishedTurn where something is under way that is not abandoned."""
        async with aclosing(self._said(runner, text, abandon)) as events:
            async for event in events:
                if isinstance(event, RunStarted):
                    self.thread, self._has_spoken = event.thread_id, True
                yield event

    def _said(self, runner: Runner, text: str, abandon: bool) -> AsyncGenerator[Event]:
        if not self.thread:
            return runner.chat(text, folder=self.folder, options=self.options, name=self.name)
        return runner.say(self.thread, text, options=self._options(), abandon=abandon)

    def _options(self) -> Options:
        """What the thread does not know yet; it may have left plan mode since the first message."""
        if not self._has_spoken:
            return self.options
        chosen: Options = {}
        for name in FOR_ONE_MESSAGE & self.options.keys():
            chosen[name] = self.options[name]
        return chosen
