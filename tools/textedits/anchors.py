"""Lines that stand once in each of two texts, in the same order: where long texts can be split.

What is known as patience diff: it takes the time that sorting takes, not that of all pairs.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Sequence


def find_anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places, from 0, of equal lines in both, ascending in both; as many as possible."""
    once_old, once_new = _find_unique_lines(old), _find_unique_lines(new)
    pairs = [(at, once_new[line]) for line, at in once_old.items() if line in once_new]
    return _find_longest_ascending(pairs)


def _find_unique_lines(lines: Sequence[str]) -> dict[str, int]:
    counts = Counter(lines)
    return {line: at for at, line in enumerate(lines) if counts[line] == 1}


def _find_longest_ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs that ascend in the first number, as many as possible that do in the second."""
    ends, at_end, before = list[int](), list[int](), list[int]()
    for number, (_, place) in enumerate(pairs):
        length = bisect(ends, place)
        before.append(at_end[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        at_end[length : length + 1] = [number]
    found, number = list[tuple[int, int]](), at_end[-1] if at_end else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
