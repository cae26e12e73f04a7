"""Find a text in a file, and where it nearly stands when it is not there."""

from collections import defaultdict
from collections.abc import Sequence
from difflib import get_close_matches

COMMON = 200
"""A line that stands in more places than this, as `}` may, tells nothing about where it belongs."""
COMPARED_LINES = 5_000
COMPARED_LENGTH = 300
"""Beyond these the likeness of lines is not computed: it takes too long."""


def find(text: str, old: str) -> list[int]:
    """Where `old` begins in the text, overlapping places too; empty `old` is nowhere."""
    places = list[int]()
    place = text.find(old) if old else -1
    while place >= 0:
        places.append(place)
        place = text.find(old, place + 1)
    return places


def line_of(text: str, place: int) -> int:
    """The number, from 1, of the line that a place is in."""
    return text.count("\n", 0, place) + 1


def nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The line, from 0, at which `wanted` would most likely begin; None when nothing is like it.

    Every wanted line that is there but for blanks votes, a rare one with more weight; without
    votes the line most like the longest wanted one decides.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        places[line.strip()].append(number)
    votes: defaultdict[int, float] = defaultdict(float)
    for offset, line in enumerate(wanted):
        found = places.get(line.strip(), [])
        if line.strip() and len(found) <= COMMON:
            for number in found:
                votes[max(number - offset, 0)] += 1 / len(found)
    if votes:
        return max(votes, key=lambda start: (votes[start], -start))
    return _most_alike(lines, wanted)


def _most_alike(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    offset, longest = max(enumerate(wanted), key=lambda pair: len(pair[1].strip()), default=(0, ""))
    if not longest.strip() or len(longest) > COMPARED_LENGTH:
        return None
    plain = [line.strip()[:COMPARED_LENGTH] for line in lines[:COMPARED_LINES]]
    close = get_close_matches(longest.strip(), plain, n=1)
    return max(plain.index(close[0]) - offset, 0) if close else None
