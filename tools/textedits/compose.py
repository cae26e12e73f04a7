"""Composition of successive changes into one change of the first text."""

import sys
from collections import deque
from collections.abc import Iterable, Sequence

from .text_edits import TextEdit

# from and to in the first text
_Kept = tuple[int, int]
# of a changed text: what is kept, or what is new
_Segment = _Kept | str


def compose_edits(first: Sequence[TextEdit], second: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Compose `first` and `second`, which applies to its result, into edits of the first text."""
    rest, made, done = deque(_to_segments(first)), list[_Segment](), 0
    for piece in second:
        made += _take_segments(rest, piece.start - done)
        _take_segments(rest, piece.end - piece.start)
        made.append(piece.new)
        done = piece.end
    return tuple(_to_edits([*made, *rest]))


def _to_segments(pieces: Sequence[TextEdit]) -> list[_Segment]:
    segments, done = list[_Segment](), 0
    for piece in pieces:
        segments += [(done, piece.start), piece.new]
        done = piece.end
    return [*segments, (done, sys.maxsize)]


def _take_segments(rest: deque[_Segment], size: int) -> list[_Segment]:
    """Remove the next `size` characters from the rest and return them."""
    segments = list[_Segment]()
    while size > 0:
        segment = rest.popleft()
        head, tail = _split_segment(segment, size)
        size -= len(head) if isinstance(head, str) else head[1] - head[0]
        segments.append(head)
        if tail is not None:
            rest.appendleft(tail)
    return segments


def _split_segment(segment: _Segment, size: int) -> tuple[_Segment, _Segment | None]:
    if isinstance(segment, str):
        return segment[:size], segment[size:] or None
    start, end = segment
    if end - start <= size:
        return segment, None
    return (start, start + size), (start + size, end)


def _to_edits(segments: Iterable[_Segment]) -> list[TextEdit]:
    parts, done, new = list[TextEdit](), 0, list[str]()
    for segment in segments:
        if isinstance(segment, str):
            new.append(segment)
        elif segment[0] < segment[1]:
            text = "".join(new)
            if text or segment[0] > done:
                parts.append(TextEdit(done, segment[0], text))
            done, new = segment[1], []
    return parts
