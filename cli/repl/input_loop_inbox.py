"""What was typed and waits for its turn: in order, and it can be taken back."""

import asyncio
from collections import deque


class Inbox:
    """Lines that wait while the one before them is at work."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._filled = asyncio.Event()

    @property
    def waiting(self) -> tuple[str, ...]:
        """The lines that wait, the next one first."""
        return tuple(self._lines)

    def put(self, line: str) -> None:
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

    async def next(self) -> str:
        """The line whose turn it is, as soon as there is one."""
        while not self._lines:
            self._filled.clear()
            await self._filled.wait()
        return self._lines.popleft()
