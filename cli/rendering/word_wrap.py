"""A text that comes in pieces, in rows of a terminal: a word is shown once it is known to fit."""

from itertools import pairwise

from .line_breaks import find_breaks, find_last_break


class WordFlow:
    """Pieces go in; what comes out breaks between words, however the pieces are cut."""

    def __init__(self) -> None:
        self._row = ""
        """The row that has not ended, with the word that is not shown yet."""
        self._shown = 0
        """Characters of it that are."""

    def add_text(self, piece: str, width: int) -> str:
        """What can be shown by now."""
        *ended, last = (self._row + piece).split("\n")
        lines = [f"{self._take_settled(line, width)}{self.flush()}\n" for line in ended]
        return "".join([*lines, self._take_settled(last, width)])

    def flush(self) -> str:
        """What is left of the row: nothing more comes."""
        rest, self._row, self._shown = self._row[self._shown :], "", 0
        return rest

    def _take_settled(self, line: str, width: int) -> str:
        """The full rows of a line and what is settled of its last one, without what was shown."""
        begins = [0, *find_breaks(line, width)]
        full = [line[begin:end].rstrip(" ") for begin, end in pairwise(begins)]
        self._row, shown = line[begins[-1] :], self._shown
        settled = self._row[: find_last_break(self._row)].rstrip(" ")
        self._shown = len(settled)
        return "\n".join([*full, settled])[shown:]
