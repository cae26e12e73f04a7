"""Placeholders of long pasted texts: a mark in the line, expanded when it is sent."""

import re

FOLDED_LINES = 5
# Least characters of a pasted text that is folded
FOLDED_CHARACTERS = 1_000
_MARK = re.compile(r"\[Pasted text #\d+ \+\d+ lines?\]")


class Pastes:
    """The texts pasted in this conversation, by their marks."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold_text(self, pasted: str) -> str:
        """Return the text to insert: the pasted one, or a mark for it."""
        text = pasted.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines < FOLDED_LINES and len(text) < FOLDED_CHARACTERS:
            return text
        words = "line" if lines == 1 else "lines"
        mark = f"[Pasted text #{len(self._texts) + 1} +{lines} {words}]"
        self._texts[mark] = text
        return mark

    def expand_marks(self, line: str) -> str:
        """Return the line with every mark replaced by its text."""
        return _MARK.sub(lambda mark: self._texts.get(mark.group(), mark.group()), line)

    def find_mark_at_end(self, line: str) -> str:
        """Return the mark at the line's end, which is deleted as a unit; empty if there is none."""
        return next((mark for mark in self._texts if line.endswith(mark)), "")
