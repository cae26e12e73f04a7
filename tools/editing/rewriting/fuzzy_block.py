"""Blocks that the request misremembers in a line: its first and last line are in the file.

One wrong line is a slip, more are another block; the average similarity does not tell.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..matching.alignment import Steps, align_lines, with_empty_lines
from ..matching.common_lines import find_shared_lines
from ..matching.document import TextDocument
from ..matching.edit_request import EditRequest, LineMatch
from ..matching.line_similarity import (
    differs_in_comment,
    has_same_facts,
    has_same_strings,
    is_misspelling,
    measure_similarity,
)
from ..matching.normalization import normalize_line

MIN_LINES = 3
LINES_PER_MORE_BAD = 8
# fewer lines than this say little of where they belong
SHORT = 5
STAYS = 0.70
REPLACED = 0.80
# by how much the best block must be more alike than the next
MARGIN = 0.10
MAX_BLOCKS = 400
MAX_LONGER = 0.25


class TooManyBlocksError(Exception):
    """Raised when too many blocks begin and end as the request does."""


@dataclass(frozen=True)
class FuzzyBlock:
    """Lines of a file, without empty ones, that the request may mean."""

    start: int
    end: int
    steps: Steps
    score: float

    @property
    def bad_steps(self) -> Steps:
        """Lines that are changed, missing or invented."""
        return [step for step in self.steps if step[2] < 1.0]


@dataclass(frozen=True)
class WantedLines:
    """The old lines that are not empty, and where they stand among all."""

    lines: Sequence[str]
    places: Sequence[int]

    @property
    def most_bad(self) -> int:
        """How many lines may be wrong."""
        return max(1, len(self.lines) // LINES_PER_MORE_BAD)


def find_similar_blocks(source: TextDocument, request: EditRequest) -> list[LineMatch]:
    """Find the block that is meant; several if that is not clear. Raise TooManyBlocksError."""
    old = request.old_lines
    places = [place for place, line in enumerate(old) if line.strip()]
    requested = WantedLines([normalize_line(old[place]) for place in places], places)
    if len(places) < MIN_LINES:
        return []
    keys = [source.normalize_lines(normalize_line)[number] for number in source.filled_lines]
    blocks = sorted(_iter_blocks(keys, requested), key=lambda block: -block.score)
    if not blocks or not _is_acceptable(blocks[0], requested, keys, request):
        return []
    rivals = [block for block in blocks if _is_rival(block, blocks[0])]
    return [_to_match(source, request, requested, block) for block in rivals]


def _is_rival(block: FuzzyBlock, best: FuzzyBlock) -> bool:
    """Return whether a block makes the best one ambiguous."""
    # blocks that overlap the best one are other readings of it: they need only be less similar
    apart = block.end <= best.start or block.start >= best.end
    return block.score > best.score - MARGIN if apart else block.score == best.score


def _iter_blocks(keys: Sequence[str], requested: WantedLines) -> Iterable[FuzzyBlock]:
    have = Counter(requested.lines)
    for start, end in _find_windows(keys, requested):
        window = keys[start:end]
        missing = (have - Counter(window)).total()
        if missing <= requested.most_bad + len(requested.lines) // LINES_PER_MORE_BAD + 1:
            steps = align_lines(requested.lines, window, _measure_lines)
            alike = sum(like for *_, like in steps) / max(len(window), len(requested.lines))
            yield FuzzyBlock(start, end, steps, alike)


def _measure_lines(left: str, right: str) -> float:
    """Measure similarity; code is the same code with a comment behind it, however long."""
    alike = measure_similarity(left, right)
    return STAYS if alike < STAYS and differs_in_comment(left, right) else alike


def _find_windows(keys: Sequence[str], requested: WantedLines) -> set[tuple[int, int]]:
    """Find the blocks that begin and end with the first and the last wanted line."""
    # all but a few wanted lines must be there, so it is enough to look near the rarest few
    lines, size = requested.lines, len(requested.lines)
    places = defaultdict[str, list[int]](list)
    asked = set(lines)
    for number, key in enumerate(keys):
        if key in asked:
            places[key].append(number)
    present = sorted((len(places[key]), offset) for offset, key in enumerate(lines) if places[key])
    slack = min(requested.most_bad, int(size * MAX_LONGER))
    windows = set[tuple[int, int]]()
    looked = 0
    for rank, (count, offset) in enumerate(present[: requested.most_bad + 2]):
        looked += count
        if looked > MAX_BLOCKS and rank <= requested.most_bad - (size - len(present)):
            raise TooManyBlocksError
        if looked > MAX_BLOCKS:
            break
        for place in places[lines[offset]]:
            windows |= _find_windows_near(keys, requested, place - offset, slack)
    if len(windows) > MAX_BLOCKS:
        raise TooManyBlocksError
    return windows


def _find_windows_near(
    keys: Sequence[str], requested: WantedLines, expected: int, slack: int
) -> set[tuple[int, int]]:
    size = len(requested.lines)
    return {
        (start, end)
        for start in range(max(expected - slack, 0), expected + slack + 1)
        if start < len(keys) and keys[start] == requested.lines[0]
        for end in range(start + size - slack, start + size + slack + 1)
        if end <= len(keys) and keys[end - 1] == requested.lines[-1]
    }


def _is_acceptable(
    block: FuzzyBlock, requested: WantedLines, keys: Sequence[str], request: EditRequest
) -> bool:
    equal = [requested.lines[a] for a, _, like in block.steps if a is not None and like == 1.0]
    kept_places = {old for old, _ in find_shared_lines(request.old_lines, request.new_lines)}
    return (
        len(block.bad_steps) <= requested.most_bad
        and 3 * len(equal) >= 2 * len(requested.lines)
        and sum(sum(map(str.isalnum, line)) >= 4 for line in equal) >= 2
        and all(
            _is_slip(requested, a, keys[block.start + b], like, requested.places[a] in kept_places)
            and requested.lines[a] not in keys
            for a, b, like in block.bad_steps
            if a is not None and b is not None
        )
    )


def _is_slip(requested: WantedLines, place: int, real: str, like: float, is_kept: bool) -> bool:
    """Return whether a wrong line can mean the file's line."""
    # in a short request another word means another block; a misspelled word does not
    asked = requested.lines[place]
    short = len(requested.lines) < SHORT
    if is_kept and differs_in_comment(asked, real):
        return True
    return (
        like >= (STAYS if is_kept else REPLACED)
        and has_same_facts(asked, real)
        and has_same_strings(asked, real)
        and not (short and is_kept and not is_misspelling(asked, real))
    )


def _to_match(
    source: TextDocument, request: EditRequest, requested: WantedLines, block: FuzzyBlock
) -> LineMatch:
    old = request.old_lines
    filled = {
        requested.places[a]: None if b is None else source.filled_lines[block.start + b]
        for a, b, _ in block.steps
        if a is not None
    }
    pairs = with_empty_lines(old, filled, source)
    start, end = source.filled_lines[block.start], source.filled_lines[block.end - 1] + 1
    return LineMatch(old, request.new_lines, start, end, pairs, loose=True)
