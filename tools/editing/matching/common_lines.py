"""Lines that the old and the new text of a request share."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from ...textedits.unified_diff import diff_lines
from .normalization import strip_line

# pairs of lines that are compared with care; more are compared fast
MAX_COMPARED = 1_000_000

Pairs = list[tuple[int, int]]


def find_shared_lines(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Pair the lines that both have, without blanks at their ends; ascending."""
    # halves with the same indentation are compared as they are: that tells one `}` from another
    plain_old, plain_new = list(map(strip_line, old)), list(map(strip_line, new))
    as_they_are = _refine_pairs(_match_equal_lines(old, new), plain_old, plain_new)
    without_depth = _match_equal_lines(plain_old, plain_new)
    return max(as_they_are, without_depth, key=lambda pairs: _count_filled(pairs, plain_old))


def with_moved(pairs: Pairs, old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Add pairs of lines that differ only in their indentation."""
    return _refine_pairs(pairs, list(map(strip_line, old)), list(map(strip_line, new)))


def find_gaps(pairs: Pairs, old: int, new: int) -> list[tuple[range, range]]:
    """Find the lines between shared lines; `old` and `new` are the numbers of lines."""
    edges = [(-1, -1), *pairs, (old, new)]
    between = [(range(a + 1, b), range(c + 1, d)) for (a, c), (b, d) in pairwise(edges)]
    return [(removed, added) for removed, added in between if removed or added]


def _match_equal_lines(old: Sequence[str], new: Sequence[str]) -> Pairs:
    if len(old) * len(new) > MAX_COMPARED:
        changes = diff_lines(old, new)
        blocks = [(c.start, c.new_start, c.end - c.start) for c in changes if c.kind == "equal"]
    else:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(a + step, b + step) for a, b, size in blocks for step in range(size)]


def _refine_pairs(pairs: Pairs, old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Add the pairs that the lines between the given pairs have."""
    more = list(pairs)
    for removed, added in find_gaps(pairs, len(old), len(new)):
        equal_pairs = _match_equal_lines(
            [old[place] for place in removed], [new[place] for place in added]
        )
        more += [(removed[a], added[b]) for a, b in equal_pairs if old[removed[a]]]
    return sorted(more)


def _count_filled(pairs: Pairs, old: Sequence[str]) -> int:
    return sum(1 for place, _ in pairs if old[place])
