"""Output of a command above the prompt, line by line."""

from .session import Session


class LineBuffer:
    """Shows output line by line as it arrives."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rest = ""

    def add_text(self, piece: str) -> None:
        lines, ended, self._rest = (self._rest + piece).rpartition("\n")
        if ended:
            self._session.show(lines)

    def flush(self) -> None:
        if self._rest:
            self._session.show(self._rest)
