"""Word wrap of streaming text: a word is shown once it is known to fit."""

from itertools import pairwise

from .line_breaks import find_breaks, find_last_break


class WordFlow:
    """Breaks a stream between words, regardless of how its pieces are cut."""

    def __init__(self) -> None:
        self._row = ""
        """The incomplete row, with the word that is not shown yet."""
        self._shown = 0
        """Count of its characters that are shown."""

    def add_text(self, piece: str, width: int) -> str:
        """Add a piece; return the text that can be shown now."""
        *ended, last = (self._row + piece).split("\n")
        lines = [f"{self._take_settled(line, width)}{self.flush()}\n" for line in ended]
        return "".join([*lines, self._take_settled(last, width)])

    def flush(self) -> str:
        """Return the rest of the row: no more text follows."""
        rest, self._row, self._shown = self._row[self._shown :], "", 0
        return rest

    def _take_settled(self, line: str, width: int) -> str:
        """Return the full rows of a line and the settled part of its last, minus what was shown."""
        begins = [0, *find_breaks(line, width)]
        full = [line[begin:end].rstrip(" ") for begin, end in pairwise(begins)]
        self._row, shown = line[begins[-1] :], self._shown
        settled = self._row[: find_last_break(self._row)].rstrip(" ")
        self._shown = len(settled)
        return "\n".join([*full, settled])[shown:]
