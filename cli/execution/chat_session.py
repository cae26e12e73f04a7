"""The human's side of a conversation: the first message begins it, what is chosen is said once.

Imports LangGraph only where something is said: a prompt is shown before that is there.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ...nodes.options import Options
    from ...sdk.events import Event
    from ...sdk.runner import Runner


@dataclass
class ChatSession:
    """Says one message after another in one thread."""

    folder: Path
    options: "Options" = field(default_factory=lambda: {})
    """What is chosen and not yet said; the next message says it, then the thread keeps it."""
    name: str = ""
    """Name for the thread that the next message begins; empty: none."""
    thread: str = ""
    """Id of the thread that is spoken with; empty: the next message begins one."""
    thread_options: "Options" = field(default_factory=lambda: {})
    """What holds in the thread, as it said last."""
    side_context: list[str] = field(default_factory=list[str])
    """What happened besides the thread, such as `!command`; the next message tells it."""
    title: str = ""
    """Title for the thread that the next message begins; empty: the beginning of the message."""

    async def send_message(
        self,
        runner: "Runner",
        text: str,
        *,
        agent: str = "",
        once: "Options | None" = None,
        abandon: bool = False,
    ) -> "AsyncGenerator[Event]":
        """One turn; raises UnfinishedTurn where something is under way that is not abandoned.

        `agent` and the options `once` are for this turn only.
        """
        from ...nodes.options import select_lasting
        from ...sdk.events import RunStarted

        sent = select_lasting(self.options)
        options: Options = {**self.options, **(once or {})}
        if self.side_context:
            options["aside"] = list(self.side_context)
        if self.thread:
            events = runner.say(self.thread, text, options=options, agent=agent, abandon=abandon)
        else:
            folder, name, title = self.folder, self.name, self.title
            events = runner.chat(
                text, folder=folder, options=options, name=name, title=title, agent=agent
            )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, RunStarted):
                    self._mark_started(event.thread_id, sent)
                yield event

    def _mark_started(self, thread: str, sent: "Options") -> None:
        """The thread has what was sent, and is not told again what holds from then on."""
        self.thread, self.thread_options = thread, {**self.thread_options, **sent}
        later = {key: value for key, value in self.options.items() if sent.get(key) != value}
        self.options = cast("Options", later)
        self.side_context.clear()
        self.title = ""
