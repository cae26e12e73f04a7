"""Report of an edit for the model: what was adapted, and the changed lines as they are now."""

from collections.abc import Sequence

from ..textedits.text_edits import TextChange, TextEdit
from ..textedits.unified_diff import find_changed_lines
from .line_numbers import format_lines
from .text_codec import split_lines

# lines that are shown before and after a change
AROUND = 2
MAX_SHOWN = 40
# line numbers of places that are not shown
MAX_LISTED = 20


def format_report(
    old: str, new: str, changes: Sequence[TextChange], pieces: Sequence[TextEdit], each: str
) -> str:
    """Format what follows "Edited `file`"; `pieces` are the edits of all changes together.

    `each` names one change: `edit`, `block`.
    """
    lines = split_lines(new)
    if not lines:
        return "; the file is empty now"
    places = _find_places(old, new, pieces, len(lines))
    visible_places = _fit_places(places)
    excerpts = [format_lines(lines[start:end], start + 1) for start, end in visible_places]
    if rest := places[len(visible_places) :]:
        starts = [start + AROUND + 1 for start, _ in rest]
        excerpts.append(f"[changed too: lines {_format_line_numbers(starts)}]")
    return "\n".join([*_describe_adapted(changes, each), "\n     …\n".join(excerpts)])


def _describe_adapted(changes: Sequence[TextChange], each: str) -> list[str]:
    """Return one line for every change that was not exact, after an empty one."""
    remarks = [""]
    for number, change in enumerate(changes, 1):
        if change.adapted:
            which = f"{each} {number}" if len(changes) > 1 else f"the {each}"
            at = _format_line_numbers(change.lines)
            remarks.append(
                f"[{which} did not fit exactly; found by {change.strategy} at line {at}: "
                f"{'; '.join(change.adapted)}]"
            )
    return remarks


def _find_places(
    old: str, new: str, pieces: Sequence[TextEdit], size: int
) -> list[tuple[int, int]]:
    """Find the changed lines, from 0, with those around them; join places that touch."""
    places = list[tuple[int, int]]()
    for change in find_changed_lines(old, new, pieces):
        start, end = max(change.new_start - AROUND, 0), min(change.new_end + AROUND, size)
        if places and start <= places[-1][1]:
            start, _ = places.pop()
        places.append((start, end))
    return places


def _fit_places(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep as many places as may be shown, and at least the beginning of the first."""
    left, visible_places = MAX_SHOWN, list[tuple[int, int]]()
    for start, end in places:
        if end - start > left and visible_places:
            break
        visible_places.append((start, min(end, start + left)))
        left -= end - start
    return visible_places


def _format_line_numbers(lines: Sequence[int]) -> str:
    more = len(lines) - MAX_LISTED
    return ", ".join(map(str, lines[:MAX_LISTED])) + (f" and {more} more" if more > 0 else "")
