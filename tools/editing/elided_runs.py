"""Requests that leave a run of lines out of both their texts, by `...` or a remark in its place."""

from collections.abc import Sequence
from itertools import pairwise

from .elided_code import says_left_out
from .matching.document import Source
from .matching.edit_request import Request
from .strategies import Part, Place
from .strategy_chain import find_lines

DOTS = ("...", "…")


def elided_places(source: Source, request: Request) -> list[Place]:
    """Where the parts that change stand; empty where parts are not there once and in order."""
    parts = elided_parts(request)
    places = list[Place]()
    for part in parts:
        found = find_lines(source, part, list)
        if found is None or len(found.places) != 1:
            return []
        places.append(found.places[0])
    spans = [_span(source, place) for place in places]
    if any(above[1] > below[0] for above, below in pairwise(spans)):
        return []
    return [place for part, place in zip(parts, places, strict=True) if part.old != part.new]


def elided_parts(request: Request) -> list[Request]:
    """What stands between the lines that are left out in both texts; empty where they differ."""
    old, new = _split(request.old_lines), _split(request.new_lines)
    if old[0] != new[0] or not old[0]:
        return []
    pairs = [(a, b) for a, b in zip(old[1], new[1], strict=True) if a or b]
    if not all("".join(a).strip() for a, _ in pairs):
        return []
    return [Request(_text(a), _text(b), whole_lines=True) for a, b in pairs]


def _split(lines: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The lines that stand for others, and what is between them."""
    signs, parts = list[str](), list[list[str]]([[]])
    for line in lines:
        if line.strip() in DOTS or says_left_out(line):
            signs.append(line.strip())
            parts.append([])
        else:
            parts[-1].append(line)
    return signs, parts


def _span(source: Source, place: Place) -> tuple[int, int]:
    """The lines of a place, from 0, and the one after them."""
    if not isinstance(place, Part):
        return place.start, place.end
    start = source.text.count("\n", 0, place.start)
    return start, start + source.text.count("\n", place.start, place.end)


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
