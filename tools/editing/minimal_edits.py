"""A text that is replaced by another, as pieces that hold changed lines only."""

from ..textedits.text_edits import Piece
from ..textedits.unified_diff import line_changes


def exact_pieces(start: int, old: str, new: str) -> list[Piece]:
    """What changes when `old`, which begins at `start`, becomes `new`."""
    before, after = _lines(old), _lines(new)
    places = [start]
    for line in before:
        places.append(places[-1] + len(line))
    return [
        Piece(places[part.start], places[part.end], "".join(after[part.new_start : part.new_end]))
        for part in line_changes(before, after)
        if part.kind != "equal"
    ]


def _lines(text: str) -> list[str]:
    """The lines with their ends; the last may have none."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
