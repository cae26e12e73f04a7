"""What an edit tells: what was adapted to find the place, and the changed lines as they are now."""

from collections.abc import Sequence

from ..textedits.text_edits import Change, Piece
from ..textedits.unified_diff import changed_lines
from .line_numbers import numbered
from .text_codec import lines_of

AROUND = 2
"""Lines that are shown before and after a change."""
MOST_SHOWN = 40
MOST_LISTED = 20
"""Line numbers of places that are not shown."""


def report(
    old: str, new: str, changes: Sequence[Change], pieces: Sequence[Piece], each: str
) -> str:
    """What follows the first words about an edit; `pieces` are those of all changes together, and
    `each` is what one of them is called.
    """
    lines = lines_of(new)
    if not lines:
        return "; the file is empty now"
    places = _places(old, new, pieces, len(lines))
    shown = _fitting(places)
    told = [numbered(lines[start:end], start + 1) for start, end in shown]
    if rest := places[len(shown) :]:
        told.append(f"[changed too: lines {_listed([start + AROUND + 1 for start, _ in rest])}]")
    return "\n".join([*_adapted(changes, each), "\n     …\n".join(told)])


def _adapted(changes: Sequence[Change], each: str) -> list[str]:
    """The first words' end, then a line for every change that was not exact."""
    remarks = [""]
    for number, change in enumerate(changes, 1):
        if change.adapted:
            which = f"{each} {number}" if len(changes) > 1 else f"the {each}"
            at = _listed(change.lines)
            remarks.append(
                f"[{which} did not fit exactly; found by {change.strategy} at line {at}: "
                f"{'; '.join(change.adapted)}]"
            )
    return remarks


def _places(old: str, new: str, pieces: Sequence[Piece], size: int) -> list[tuple[int, int]]:
    """The changed lines, from 0, with those around them; places that touch are one."""
    places = list[tuple[int, int]]()
    for change in changed_lines(old, new, pieces):
        start, end = max(change.new_start - AROUND, 0), min(change.new_end + AROUND, size)
        if places and start <= places[-1][1]:
            start, _ = places.pop()
        places.append((start, end))
    return places


def _fitting(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many of the places as may be shown; of a first one that is too long its beginning."""
    left, shown = MOST_SHOWN, list[tuple[int, int]]()
    for start, end in places:
        if end - start > left and shown:
            break
        shown.append((start, min(end, start + left)))
        left -= end - start
    return shown


def _listed(lines: Sequence[int]) -> str:
    more = len(lines) - MOST_LISTED
    return ", ".join(map(str, lines[:MOST_LISTED])) + (f" and {more} more" if more > 0 else "")
