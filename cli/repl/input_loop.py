"""The input loop: runs one line after another; lines typed meanwhile wait, or reach the turn.

A command that changes nothing of the turn runs beside it.
"""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

from ...config.errors import UsageError
from ..i18n.catalogs import t
from .line_dispatch import (
    blocks_steering,
    dispatch_beside,
    dispatch_line,
    is_beside,
    read_steering,
)
from .prompt.input_line import parse_line
from .prompt.paste_placeholder import Pastes
from .prompt.protocol import ReplExit
from .session.inbox import Inbox
from .session.resume import pick_up
from .session.session import Session, show_error

# Seconds within which a second Ctrl-C exits
SECOND_PRESS_SECONDS = 2.0
# Seconds within which a second Ctrl-O opens everything
DOUBLE_PRESS_SECONDS = 0.6
# Seconds that running work has to finish when the user exits
ENDS_BY_ITSELF = 0.5


class Conversation:
    """The user's side of a session: the lines typed, the work in progress, how to stop it."""

    session: Session

    def __init__(self) -> None:
        self.inbox = Inbox(self._read_steering, blocks_steering)
        self.pastes = Pastes()
        self.knows_trust = False
        """Whether the user has just decided whether to trust the folder."""
        self._doing: asyncio.Task[None] | None = None
        self._stopped = False
        self._withdrawn: list[str] = []
        self._since = self._asked_before = 0.0
        self._pressed = self._opened = float("-inf")
        self._reading: asyncio.Task[None] | None = None
        self._beside = set[asyncio.Task[None]]()
        self._left = asyncio.Event()

    @property
    def is_working(self) -> bool:
        """Whether a line is running."""
        return self._doing is not None

    @property
    def busy_text(self) -> str:
        """Description of the work in progress; empty: none."""
        if not self.is_working:
            return ""
        key = "repl.busy.command" if self.can_send_to_background else "repl.busy"
        asked = self.session.question_seconds - self._asked_before
        busy = t(key, seconds=int(time.monotonic() - self._since - asked))
        wait = self.session.wait.format_row() if self.session.wait else ""
        busy = wait or busy
        children = self.session.children
        return "\n".join([*(children.format_lines() if children else ()), busy])

    @property
    def can_send_to_background(self) -> bool:
        """Whether the turn waits for a command that could go on in the background."""
        runner = self.session.find_runner() if self.is_working else None
        return runner is not None and runner.background.has_foreground(self.session.thread)

    def send_to_background(self) -> None:
        """Let the command that the turn waits for go on in the background."""
        if runner := self.session.find_runner():
            try:
                runner.background.send_to_background(self.session.thread)
            except UsageError as error:
                show_error(self.session, error)

    def submit_line(self, line: str) -> None:
        """Queue a line, or run it beside the turn."""
        self._pressed = float("-inf")  # a Ctrl-C before it does not count as a first one
        if self.is_working and is_beside(line):
            beside = asyncio.ensure_future(
                dispatch_beside(self.session, line, self.pastes.expand_marks)
            )
            self._beside.add(beside)
            beside.add_done_callback(self._beside.discard)
            return
        self.inbox.put_line(line)

    def open_waiting_thread(self) -> None:
        """Open the conversation that was announced as waiting, if there is one."""
        if not self.is_working and (line := self._take_offered_line()):
            self.submit_line(line)

    def _take_offered_line(self) -> str:
        """Return the line that opens the waiting conversation, once; empty: none was announced."""
        thread, self.session.waiting_thread = self.session.waiting_thread, ""
        return " ".join(("/resume", thread)) if thread else ""

    def take_back(self) -> str:
        """Remove the last waiting line, so that it is not sent, and return it."""
        return self.inbox.take_back()

    def interrupt(self) -> None:
        """Stop the work in progress; waiting lines can be edited before they are sent."""
        self._stop_beside()
        if self._doing and not self._stopped:
            self._stopped = self._doing.cancel()
            self._withdrawn += self.inbox.take_all()

    def _stop_beside(self) -> None:
        for task in self._beside:
            task.cancel()

    def receive_interrupt(self) -> None:
        """Stop the work in progress at SIGINT, unless it is the Ctrl-C of a pager."""
        if not self.session.is_paging:
            self.interrupt()

    def offer_rewind(self) -> None:
        """Offer to rewind to an earlier step."""
        self.submit_line("/rewind")

    def switch_mode(self) -> None:
        """Switch to the next mode: ask, edits, plan."""
        self.session.choose_next_mode()

    def open_fold(self) -> None:
        """Show what was folded last; twice, or if nothing is folded, everything of the thread."""
        if self._reading and not self._reading.done():
            return  # the second press of two, and the first has opened everything
        before, self._opened = self._opened, time.monotonic()
        is_second = self._opened - before < DOUBLE_PRESS_SECONDS
        if self.session.thread and (is_second or not self.session.has_fold):
            self._reading = asyncio.ensure_future(self._show_transcript())
        else:
            self.session.open_fold()

    async def _show_transcript(self) -> None:
        from .slash.transcript import show_transcript  # imports the threads

        try:
            await show_transcript(self.session)
        except Exception as error:
            show_error(self.session, error)

    def toggle_todos(self) -> None:
        """Open the list of tasks, or close it."""
        self.session.toggle_todos()

    def request_exit(self) -> None:
        """End the conversation and the work in progress."""
        self._left.set()

    def exit_at_once(self) -> None:
        """End the conversation and interrupt its work, for which the loop would wait."""
        self.request_exit()
        self.interrupt()

    @property
    def is_closed(self) -> bool:
        """Whether the user has left."""
        return self._left.is_set()

    def confirm_exit(self) -> bool:
        """Return whether Ctrl-C was pressed just before; if not, explain what a second one does."""
        before, self._pressed = self._pressed, time.monotonic()
        if self._pressed - before < SECOND_PRESS_SECONDS:
            return True
        if not self.is_working:
            self.session.show(t("repl.again"), "dim")
        return False

    async def run(self) -> None:
        """Run lines until the user leaves, then stop the work in progress.

        Raises an unexpected error that would keep all lines from running.
        """
        working = asyncio.ensure_future(self._run_lines())
        leaving = asyncio.ensure_future(self._left.wait())
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if self._doing:  # leaving after an answer does not stop the rest of its turn
            await asyncio.wait((self._doing, working), timeout=ENDS_BY_ITSELF)
        if self._doing:
            self._doing.cancel()
            await asyncio.wait((self._doing, working))
        working.cancel()
        self._stop_beside()
        with suppress(asyncio.CancelledError):
            await working

    async def run_line(self, line: str) -> None:
        """Run a line and show its error, if any; raise ReplExit.

        An empty line opens the waiting conversation; any other line is no answer to that offer.
        """
        line = self._take_offered_line() if not line.strip() else line
        self.session.waiting_thread = ""
        self.session.last_error_message = ""
        self.session.typed, self.session.is_unsent = line.strip(), True
        await self._run_task(dispatch_line(self.session, line, self.pastes.expand_marks))

    async def resume_thread(self) -> None:
        """Show the state of the thread that the conversation resumes, if there is one."""
        if self.session.thread:
            await self._run_task(pick_up(self.session))

    def _read_steering(self, line: str) -> str | None:
        return read_steering(self.session, line, self.pastes.expand_marks)

    async def _run_task(self, work: Coroutine[Any, Any, None]) -> None:
        self._since, self._stopped = time.monotonic(), False
        self._asked_before = self.session.question_seconds
        doing = self._doing = asyncio.ensure_future(work)
        while not doing.done():
            self.session.prompt.refresh()
            await asyncio.wait((doing,), timeout=1.0)
        self._doing = None
        self.session.prompt.refresh()
        if doing.cancelled():
            self._pressed = float("-inf")  # the Ctrl-C that stops something is not the first of two
            self.session.show(t("repl.interrupted"), "yellow")
        elif isinstance(error := doing.exception(), ReplExit):
            raise error
        elif error:
            show_error(self.session, error)
        self._give_back()

    def _give_back(self) -> None:
        """Return unsent lines, and those that wait behind an unfinished turn, to the prompt."""
        session = self.session
        unsaid = [session.typed] if session.is_unsent else []
        unsaid += [*session.unread_lines, *self._withdrawn]
        session.unread_lines.clear()
        self._withdrawn.clear()
        if session.cut_short and not self._stopped:  # lines sent after a stop are intended
            unsaid += self.inbox.take_all()
        session.is_unsent = session.cut_short = False
        self._return_lines(unsaid)

    def _return_lines(self, lines: Sequence[str]) -> None:
        """Put messages back into the prompt as one, or one command; name the lines after them."""
        messages = list(takewhile(lambda line: parse_line(line).kind == "message", lines))
        returned = messages or lines[:1]
        self.session.prompt.give_back("\n".join(returned))
        if rest := lines[len(returned) :]:
            line_list = ", ".join(f"`{line}`" for line in rest)
            self.session.show(t("repl.not_run", lines=line_list), "dim")

    async def _run_lines(self) -> None:
        try:
            await self.resume_thread()
            while not self.is_closed:
                await self.run_line(await self.inbox.take_next())
        except ReplExit:
            return
