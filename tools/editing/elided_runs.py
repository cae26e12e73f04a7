"""Requests that omit the same lines of both texts, by `...` or a placeholder."""

from collections.abc import Sequence
from itertools import pairwise

from .elided_code import is_elision
from .matching.document import TextDocument
from .matching.edit_request import EditRequest
from .strategies import AnyMatch, TextMatch
from .strategy_chain import find_lines

DOTS = ("...", "…")


def find_elided_places(source: TextDocument, request: EditRequest) -> list[AnyMatch]:
    """Find the parts that change; empty unless each part is there once, in order."""
    parts = split_request(request)
    places = list[AnyMatch]()
    for part in parts:
        result = find_lines(source, part, list)
        if result is None or len(result.places) != 1:
            return []
        places.append(result.places[0])
    spans = [_to_line_span(source, place) for place in places]
    if any(above[1] > below[0] for above, below in pairwise(spans)):
        return []
    return [place for part, place in zip(parts, places, strict=True) if part.old != part.new]


def split_request(request: EditRequest) -> list[EditRequest]:
    """Split a request at the placeholders of both texts; empty if these differ."""
    old, new = _split_at_elisions(request.old_lines), _split_at_elisions(request.new_lines)
    if old[0] != new[0] or not old[0]:
        return []
    pairs = [(a, b) for a, b in zip(old[1], new[1], strict=True) if a or b]
    if not all("".join(a).strip() for a, _ in pairs):
        return []
    return [EditRequest(_join_lines(a), _join_lines(b), whole_lines=True) for a, b in pairs]


def _split_at_elisions(lines: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Split lines into the placeholders and the parts between them."""
    signs, parts = list[str](), list[list[str]]([[]])
    for line in lines:
        if line.strip() in DOTS or is_elision(line):
            signs.append(line.strip())
            parts.append([])
        else:
            parts[-1].append(line)
    return signs, parts


def _to_line_span(source: TextDocument, place: AnyMatch) -> tuple[int, int]:
    """Return the first line of a place, from 0, and the one after its last."""
    if not isinstance(place, TextMatch):
        return place.start, place.end
    start = source.text.count("\n", 0, place.start)
    return start, start + source.text.count("\n", place.start, place.end)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
