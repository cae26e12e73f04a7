"""The user's side of a conversation: the thread, and the options of the next message.

Imports LangGraph only to send a message: the prompt appears before LangGraph is loaded.
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
    """Sends one message after another to one thread."""

    folder: Path
    options: "Options" = field(default_factory=lambda: {})
    """Options chosen but not yet sent; the next message sends them, then the thread keeps them."""
    name: str = ""
    """Name for the thread that the next message creates; empty: none."""
    thread: str = ""
    """Id of the current thread; empty: the next message creates one."""
    thread_options: "Options" = field(default_factory=lambda: {})
    """Options in force in the thread, as last reported."""
    side_context: list[str] = field(default_factory=list[str])
    """Events outside of the thread, such as `!command`; the next message includes them."""
    title: str = ""
    """Title for the thread that the next message creates; empty: the beginning of the message."""

    async def send_message(
        self,
        runner: "Runner",
        text: str,
        *,
        agent: str = "",
        once: "Options | None" = None,
        abandon: bool = False,
    ) -> "AsyncGenerator[Event]":
        """Run one turn; raise UnfinishedTurnError if a turn is unfinished and not abandoned.

        `agent` and the options `once` apply to this turn only.
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
        """Record the thread and the options it has received, so that they are not sent again."""
        self.thread, self.thread_options = thread, {**self.thread_options, **sent}
        later = {key: value for key, value in self.options.items() if sent.get(key) != value}
        self.options = cast("Options", later)
        self.side_context.clear()
        self.title = ""
