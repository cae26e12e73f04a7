"""Indentation and spelling of a request, inferred from the lines it shares with the file."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..matching.common_lines import Pairs
from ..matching.document import TextDocument
from ..matching.edit_request import LineMatch
from ..matching.normalization import indent_of, measure_indent, simplify_in_place
from .indentation import Depths, IndentPair, infer_depths
from .typography import Spelling, infer_spelling

# lines around a match from which the file's unit of indentation is learned
NEARBY = 5_000


@dataclass(frozen=True)
class InferredStyle:
    """A match, and how its request's indentation and spelling map to the file's."""

    source: TextDocument
    match: LineMatch
    depths: Depths
    spelling: Spelling
    exact: bool
    """Whether the file has all old lines as they are, so that new ones are written as they are."""

    def get_line(self, place: int) -> str:
        """Get the file's line of an old line of the request."""
        file_line = self.match.pairs[place]
        return "" if file_line is None else self.source.lines[file_line]


def infer_style(source: TextDocument, match: LineMatch, shared: Pairs) -> InferredStyle:
    """Learn from every old line that is paired with one of the file."""
    numbered_places = [
        (place, number) for place, number in enumerate(match.pairs) if number is not None
    ]
    pairs = [
        _build_pair(place, indent_of(match.old[place]), indent_of(source.lines[number]))
        for place, number in numbered_places
        if match.old[place].strip()
    ]
    is_kept = _is_indented_as_file(pairs, match, shared) or _has_steps_of_file(pairs, match, shared)
    near = source.lines[max(match.start - NEARBY, 0) : match.end + NEARBY]
    depths = infer_depths(pairs, match.old, match.new, near, is_kept)
    spelling = infer_spelling(
        (match.old[place], source.lines[number]) for place, number in numbered_places
    )
    exact = [source.lines[number] for _, number in numbered_places] == list(match.old)
    return InferredStyle(source, match, depths, spelling, exact)


def _build_pair(place: int, asked: str, real: str) -> IndentPair:
    return IndentPair(place, simplify_in_place(asked) if real.isascii() else asked, real)


def _is_indented_as_file(pairs: Sequence[IndentPair], match: LineMatch, shared: Pairs) -> bool:
    """Return whether the new lines are indented as the file is, although the old ones are not."""
    asked = dict(shared)
    moved = [pair for pair in pairs if pair.asked != pair.real]
    new_indents = [
        (pair, indent_of(match.new[asked[pair.place]])) for pair in moved if pair.place in asked
    ]
    as_asked = sum(new == pair.asked for pair, new in new_indents)
    as_real = sum(new == pair.real for pair, new in new_indents)
    first = next((indent_of(line) for line in match.new if line.strip()), "")
    if as_asked or not pairs:
        return False
    top_moved = pairs[0].asked != pairs[0].real
    if top_moved and first == pairs[0].asked:
        return False
    return as_real > 0 or (top_moved and first == pairs[0].real)


def _has_steps_of_file(pairs: Sequence[IndentPair], match: LineMatch, shared: Pairs) -> bool:
    """Return whether the new lines have depths that only the file has, and none of the request's.

    Old lines that were remembered in another step say nothing about new lines in the file's.
    """
    asked = dict(shared)
    if any(
        indent_of(match.new[asked[pair.place]]) == pair.asked != pair.real
        for pair in pairs
        if pair.place in asked
    ):
        return False
    of_request = {measure_indent(pair.asked) for pair in pairs}
    of_file = {measure_indent(pair.real) for pair in pairs}
    new = {measure_indent(indent_of(line)) for line in match.new if line.strip()}
    return bool(new & of_file - of_request) and not new & of_request - of_file
