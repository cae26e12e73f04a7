"""Unsent lines that the user puts aside (Ctrl-S), the last one on top."""


class Stash:
    """A stack of lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @property
    def top(self) -> str:
        """The line that comes back next; empty: none is there."""
        return self._lines[-1] if self._lines else ""

    def put(self, line: str) -> None:
        """Put a line aside."""
        self._lines.append(line)

    def take(self) -> str:
        """Remove the top line and return it; empty: none is there."""
        return self._lines.pop() if self._lines else ""
