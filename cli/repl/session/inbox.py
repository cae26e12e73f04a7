"""Lines that wait while another one runs; plain messages among them reach the running turn."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....config.errors import UsageError

if TYPE_CHECKING:
    from ....sdk.runner import Runner


@dataclass(eq=False)
class WaitingLine:
    """One line as it was typed."""

    text: str
    message_id: str = ""
    """ID of the message to the running turn; empty: it starts a turn of its own."""
    is_sent: bool = False
    """Whether the model has been given it."""
    is_recalled: bool = False
    """Whether the user stopped the turn when it had just been taken: it may come back."""


class Inbox:
    """Queue of the lines that wait while another one runs."""

    def __init__(
        self,
        read_message: Callable[[str], str | None] = lambda _: None,
        blocks_steering: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Create it; `read_message` returns the message to the running turn that a line is.

        None: this line waits for the end of the turn; so does every line after one that
        `blocks_steering`, since it leaves the conversation.
        """
        self._lines: deque[WaitingLine] = deque()
        self._filled = asyncio.Event()
        self._read_message = read_message
        self._blocks_steering = blocks_steering
        self._runner: Runner | None = None

    @property
    def waiting_lines(self) -> tuple[str, ...]:
        """The waiting lines, the next one first."""
        return tuple(line.text for line in self._lines if not line.is_sent)

    def put_line(self, line: str) -> None:
        """Append a line."""
        self._lines.append(WaitingLine(line))
        self._steer_lines()
        self._filled.set()

    def take_back(self) -> str:
        """Remove the last line and return it; empty: none waits."""
        if not self._lines or not self._withdraw(self._lines[-1]):
            return ""
        return self._lines.pop().text

    def take_all(self) -> list[str]:
        """Remove all lines that nobody has read, and return them.

        Of the others `end_steering` returns those that the thread does not have.
        """
        withdrawn = [line for line in self._lines if self._withdraw(line)]
        self._lines = deque(line for line in self._lines if line not in withdrawn)
        for line in self._lines:
            line.is_recalled = True
        return [line.text for line in withdrawn]

    async def take_next(self) -> str:
        """Wait for the next line, remove it and return it."""
        while not self._lines:
            self._filled.clear()
            await self._filled.wait()
        return self._lines.popleft().text

    def begin_steering(self, runner: "Runner") -> None:
        """Send messages to the turn that runs now, also those that wait already."""
        self._runner = runner
        self._steer_lines()

    def mark_sent(self, message_id: str) -> str:
        """Show the line as waiting no more; return it as it was typed."""
        for line in self._lines:
            if line.message_id == message_id:
                line.is_sent = True
                return line.text
        return ""

    def end_steering(self) -> list[str]:
        """End the turn; return the lines that it has taken but the thread does not have.

        What was neither given to the model nor recalled by the user waits for the next turn.
        """
        runner, self._runner = self._runner, None
        unsent = {message.id for message in runner.steering.take_unsent()} if runner else set[str]()
        left = [line for line in self._lines if not line.message_id or line.message_id in unsent]
        returned = [line for line in left if line.is_sent or line.is_recalled]
        self._lines = deque(WaitingLine(line.text) for line in left if line not in returned)
        return [line.text for line in returned]

    def _withdraw(self, line: WaitingLine) -> bool:
        """Take the line back from the turn; return False if the turn has it."""
        if not line.message_id or not self._runner:
            return not line.is_sent
        return self._runner.steering.take_back(line.message_id)

    def _steer_lines(self) -> None:
        for line in self._lines:
            if line.message_id or self._steer(line):
                continue
            if self._blocks_steering(line.text):
                return

    def _steer(self, line: WaitingLine) -> bool:
        """Send the line to the running turn; return False if it has to wait."""
        message = self._read_message(line.text) if self._runner else None
        if message is None or not self._runner:
            return False
        try:
            line.message_id = self._runner.steer(message)
        except UsageError:  # the turn has just ended
            return False
        return True
