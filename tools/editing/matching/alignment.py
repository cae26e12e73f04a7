"""Alignment of the request's old lines with the lines of a file."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from ...textedits.unified_diff import count_equal
from .document import TextDocument

# below this two lines do not match: one is invented, one omitted
MIN_SIMILARITY = 0.5

Similarity = Callable[[str, str], float]
# an old line, a line of the file, and their similarity; None if one has no partner
Steps = list[tuple[int | None, int | None, float]]


def align_lines(old: Sequence[str], file: Sequence[str], likeness: Similarity) -> Steps:
    """Pair the lines with the fewest differences, and among these the most similar."""
    head = count_equal(old, file)
    rest = min(len(old), len(file)) - head
    tail = min(count_equal(old[::-1], file[::-1]), rest)
    inner = _align_by_cost(old[head : len(old) - tail], file[head : len(file) - tail], likeness)
    shifted: Steps = [
        (None if a is None else a + head, None if b is None else b + head, like)
        for a, b, like in inner
    ]
    tails = range(-tail, 0)
    return [
        *((place, place, 1.0) for place in range(head)),
        *shifted,
        *((len(old) + step, len(file) + step, 1.0) for step in tails),
    ]


def _align_by_cost(old: Sequence[str], file: Sequence[str], likeness: Similarity) -> Steps:
    # dynamic programming: a cell is how many lines differ, and how much similarity is lost
    best = [[(0, 0.0)] * (len(file) + 1) for _ in range(len(old) + 1)]
    moves = [[""] * (len(file) + 1) for _ in range(len(old) + 1)]
    like = dict[tuple[int, int], float]()
    for a in range(len(old) + 1):
        for b in range(len(file) + 1):
            options = list[tuple[tuple[int, float], str]]()
            if a and b:
                near = 1.0 if old[a - 1] == file[b - 1] else likeness(old[a - 1], file[b - 1])
                like[a, b] = near
                if near >= MIN_SIMILARITY:
                    options.append((_add_cost(best[a - 1][b - 1], near < 1.0, 1 - near), "both"))
            if a:
                options.append((_add_cost(best[a - 1][b], True, 1.0), "old"))
            if b:
                options.append((_add_cost(best[a][b - 1], True, 1.0), "file"))
            if options:
                best[a][b], moves[a][b] = min(options)
    return _trace_steps(moves, like, len(old), len(file))


def _trace_steps(
    moves: Sequence[Sequence[str]], like: dict[tuple[int, int], float], a: int, b: int
) -> Steps:
    steps: Steps = []
    while a or b:
        kind = moves[a][b]
        if kind == "both":
            steps.append((a - 1, b - 1, like[a, b]))
        elif kind == "old":
            steps.append((a - 1, None, 0.0))
        else:
            steps.append((None, b - 1, 0.0))
        a, b = a - (kind != "file"), b - (kind != "old")
    return steps[::-1]


def _add_cost(cell: tuple[int, float], differs: bool, loss: float) -> tuple[int, float]:
    return cell[0] + differs, cell[1] + loss


def with_empty_lines(
    old: Sequence[str], filled: Mapping[int, int | None], source: TextDocument
) -> list[int | None]:
    """Pair the empty lines, too; `filled` has the pairs of the others.

    Between two paired lines the first empty lines of both are paired, then the last.
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
