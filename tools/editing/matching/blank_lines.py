"""Empty lines of a request beside those of the file, between lines that are paired already."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from .document import TextDocument


def with_empty_lines(
    old: Sequence[str], filled: Mapping[int, int | None], source: TextDocument
) -> list[int | None]:
    """The pairs of all old lines; `filled` has those of the lines that are not empty.

    Between two paired lines the first empty lines of both stand for each other, then the last.
    """
    pairs = [filled.get(place) for place in range(len(old))]
    paired = [place for place, number in enumerate(pairs) if number is not None]
    for above, below in pairwise(paired):
        start, end = above + 1, below
        first, last = (pairs[above] or 0) + 1, pairs[below] or 0
        while (
            start < end and first < last and not (old[start].strip() or _is_filled(source, first))
        ):
            pairs[start] = first
            start, first = start + 1, first + 1
        while (
            start < end
            and first < last
            and not (old[end - 1].strip() or _is_filled(source, last - 1))
        ):
            end, last = end - 1, last - 1
            pairs[end] = last
    return pairs


def _is_filled(source: TextDocument, number: int) -> bool:
    return bool(source.lines[number].strip())
