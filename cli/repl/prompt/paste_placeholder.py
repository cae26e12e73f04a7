"""Long pasted texts, folded to one word in the line and unfolded when it is sent."""

import re

FOLDED_LINES = 5
# From so many on a pasted text is folded
FOLDED_CHARACTERS = 1_000
_MARK = re.compile(r"\[Pasted text #\d+ \+\d+ lines?\]")


class Pastes:
    """The texts that were pasted in this conversation, by the mark that stands for each."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold_text(self, pasted: str) -> str:
        """What to put into the line: the text, or a mark in its place."""
        text = pasted.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines < FOLDED_LINES and len(text) < FOLDED_CHARACTERS:
            return text
        words = "line" if lines == 1 else "lines"
        mark = f"[Pasted text #{len(self._texts) + 1} +{lines} {words}]"
        self._texts[mark] = text
        return mark

    def expand_marks(self, line: str) -> str:
        """The line with every pasted text in the place of its mark."""
        return _MARK.sub(lambda mark: self._texts.get(mark.group(), mark.group()), line)

    def find_mark_at_end(self, line: str) -> str:
        """The mark that a line ends with, which is deleted as one; empty: there is none."""
        return next((mark for mark in self._texts if line.endswith(mark)), "")
