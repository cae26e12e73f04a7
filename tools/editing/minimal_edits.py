"""A text that is replaced by another, as pieces that hold changed lines only."""

from ..textedits.text_edits import TextEdit
from ..textedits.unified_diff import diff_lines


def diff_to_edits(start: int, old: str, new: str) -> list[TextEdit]:
    """What changes when `old`, which begins at `start`, becomes `new`."""
    before, after = _split_lines(old), _split_lines(new)
    places = [start]
    for line in before:
        places.append(places[-1] + len(line))
    return [
        TextEdit(
            places[part.start], places[part.end], "".join(after[part.new_start : part.new_end])
        )
        for part in diff_lines(before, after)
        if part.kind != "equal"
    ]


def _split_lines(text: str) -> list[str]:
    """The lines with their ends; the last may have none."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
