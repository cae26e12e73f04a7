"""Takes one line after the other and does what it says; whatever is typed meanwhile waits."""

import asyncio
import time
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from ..i18n.catalogs import t
from .line_dispatch import dispatch_line
from .prompt.paste_placeholder import Pastes
from .prompt.protocol import ReplExit
from .session.resume import pick_up
from .session.session import Session, show_error

# Seconds in which a second Ctrl-C leaves
SECOND_PRESS_SECONDS = 2.0
# Seconds that what goes on has to come to its end when the human leaves
ENDS_BY_ITSELF = 0.5


class Conversation:
    """The human's side of a session: what was typed, what goes on, how to stop it."""

    session: Session

    def __init__(self) -> None:
        self.inbox = Inbox()
        self.pastes = Pastes()
        self._doing: asyncio.Task[None] | None = None
        self._stopped = False
        self._since = 0.0
        self._pressed = float("-inf")
        self._left = asyncio.Event()

    @property
    def is_working(self) -> bool:
        """Whether a line is being worked on."""
        return self._doing is not None

    @property
    def busy_text(self) -> str:
        """What goes on, in words; empty: nothing."""
        if not self.is_working:
            return ""
        return t("repl.busy", seconds=int(time.monotonic() - self._since))

    def submit_line(self, line: str) -> None:
        """Let a line have its turn."""
        self._pressed = float("-inf")  # a Ctrl-C before it and one behind it are not two in a row
        self.inbox.put_line(line)

    def take_back(self) -> str:
        """The line that waits last, which then is not sent."""
        return self.inbox.take_back()

    def interrupt(self) -> None:
        """Stop what goes on; what waits can be changed before it is sent."""
        if self._doing and not self._stopped:
            self._stopped = self._doing.cancel()
            if waiting := self.inbox.take_all():
                self.session.prompt.give_back("\n".join(waiting))

    def offer_rewind(self) -> None:
        """Offer to go back to an earlier step."""
        self.submit_line("/rewind")

    def switch_mode(self) -> None:
        """From build to plan and back, with the next message."""
        self.session.plan = not self.session.plan

    def request_exit(self) -> None:
        """End the conversation, and what goes on."""
        self._left.set()

    def exit_at_once(self) -> None:
        """End it where only the end of what goes on leads back to the loop."""
        self.request_exit()
        self.interrupt()

    @property
    def has_left(self) -> bool:
        """Whether the human is gone."""
        return self._left.is_set()

    def confirm_exit(self) -> bool:
        """Whether Ctrl-C was pressed just before; if not, say what a second one does."""
        before, self._pressed = self._pressed, time.monotonic()
        if self._pressed - before < SECOND_PRESS_SECONDS:
            return True
        if not self.is_working:
            self.session.show(t("repl.again"), "dim")
        return False

    async def run(self) -> None:
        """Work on lines until the human leaves; what goes on then is stopped.

        What nobody foresaw, and would keep all lines from being worked on, is raised.
        """
        working = asyncio.ensure_future(self._run_lines())
        leaving = asyncio.ensure_future(self._left.wait())
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if self._doing:  # whoever leaves behind an answer does not stop it
            await asyncio.wait((self._doing, working), timeout=ENDS_BY_ITSELF)
        if self._doing:
            self._doing.cancel()
            await asyncio.wait((self._doing, working))
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working

    async def run_line(self, line: str) -> None:
        """Do what a line says, and tell what goes wrong; raises ReplExit."""
        self.session.last_error_message = ""
        self.session.typed, self.session.is_unsent = line.strip(), True
        await self._run_task(dispatch_line(self.session, line, self.pastes.expand_marks))

    async def resume_thread(self) -> None:
        """Show where the thread stands that is gone on with, if one is."""
        if self.session.thread:
            await self._run_task(pick_up(self.session))

    async def _run_task(self, work: Coroutine[Any, Any, None]) -> None:
        self._since, self._stopped = time.monotonic(), False
        doing = self._doing = asyncio.ensure_future(work)
        while not doing.done():
            self.session.prompt.refresh()
            await asyncio.wait((doing,), timeout=1.0)
        self._doing = None
        self.session.prompt.refresh()
        if doing.cancelled():
            self._pressed = float("-inf")  # the Ctrl-C that stops something is not half a goodbye
            self.session.show(t("repl.interrupted"), "yellow")
        elif isinstance(error := doing.exception(), ReplExit):
            raise error
        elif error:
            show_error(self.session, error)
        self._give_back()

    def _give_back(self) -> None:
        """What was not said, and what waits behind a turn that was cut short, can be changed."""
        session = self.session
        unsaid = [session.typed] if session.is_unsent else []
        if session.cut_short and not self._stopped:  # what was sent after a stop is meant
            unsaid += self.inbox.take_all()
        session.is_unsent = session.cut_short = False
        session.prompt.give_back("\n".join(unsaid))

    async def _run_lines(self) -> None:
        try:
            await self.resume_thread()
            while not self.has_left:
                await self.run_line(await self.inbox.take_next())
        except ReplExit:
            return


class Inbox:
    """Lines that wait while the one before them is at work."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._filled = asyncio.Event()

    @property
    def waiting_lines(self) -> tuple[str, ...]:
        """The lines that wait, the next one first."""
        return tuple(self._lines)

    def put_line(self, line: str) -> None:
        """Let a line wait behind the others."""
        self._lines.append(line)
        self._filled.set()

    def take_back(self) -> str:
        """The line that was put last, which waits no longer; empty: none waits."""
        return self._lines.pop() if self._lines else ""

    def take_all(self) -> list[str]:
        """All lines, which wait no longer."""
        lines = list(self._lines)
        self._lines.clear()
        return lines

    async def take_next(self) -> str:
        """The line whose turn it is, as soon as there is one."""
        while not self._lines:
            self._filled.clear()
            await self._filled.wait()
        return self._lines.popleft()
