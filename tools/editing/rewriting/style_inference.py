"""What the lines that a request and a file share teach about the request's other lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..matching.common_lines import Pairs
from ..matching.document import Source
from ..matching.edit_request import Match
from ..matching.normalization import indent_of, one_to_one
from .indentation import Depths, Pair, learn
from .typography import Spelling, learn_spelling

NEARBY = 5_000
"""Lines around a match from which the file's unit of indentation is learned."""


@dataclass(frozen=True)
class Learned:
    """A match, and how depths and spellings of its request are those of the file."""

    source: Source
    match: Match
    depths: Depths
    spelling: Spelling
    exact: bool
    """Whether the file has all old lines as they are, so that new ones are written as they are."""

    def line(self, place: int) -> str:
        """The file's line that an old line of the request stands for."""
        found = self.match.pairs[place]
        return "" if found is None else self.source.lines[found]


def learn_from(source: Source, match: Match, shared: Pairs) -> Learned:
    """Learn from every old line that stands for one of the file."""
    found = [(place, number) for place, number in enumerate(match.pairs) if number is not None]
    pairs = [
        _pair(place, indent_of(match.old[place]), indent_of(source.lines[number]))
        for place, number in found
        if match.old[place].strip()
    ]
    kept = _stands_as_in_file(pairs, match, shared)
    near = source.lines[max(match.start - NEARBY, 0) : match.end + NEARBY]
    depths = learn(pairs, [*match.old, *match.new], near, kept)
    spelling = learn_spelling((match.old[place], source.lines[number]) for place, number in found)
    exact = [source.lines[number] for _, number in found] == list(match.old)
    return Learned(source, match, depths, spelling, exact)


def _pair(place: int, asked: str, real: str) -> Pair:
    return Pair(place, one_to_one(asked) if real.isascii() else asked, real)


def _stands_as_in_file(pairs: Sequence[Pair], match: Match, shared: Pairs) -> bool:
    """Whether the new lines are indented as the file is although the old ones are not."""
    asked = dict(shared)
    moved = [pair for pair in pairs if pair.asked != pair.real]
    news = [
        (pair, indent_of(match.new[asked[pair.place]])) for pair in moved if pair.place in asked
    ]
    as_asked = sum(new == pair.asked for pair, new in news)
    as_real = sum(new == pair.real for pair, new in news)
    first = next((indent_of(line) for line in match.new if line.strip()), "")
    if as_asked or not pairs:
        return False
    top_moved = pairs[0].asked != pairs[0].real
    if top_moved and first == pairs[0].asked:
        return False
    return as_real > 0 or (top_moved and first == pairs[0].real)
