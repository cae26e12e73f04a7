"""The order of the strategies: the first that finds a place decides."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .matching.document import TextDocument
from .matching.edit_request import EditRequest, LineMatch
from .request_variants import iter_variants, without_fence, without_numbers
from .rewriting.fuzzy_block import find_similar_blocks
from .strategies import (
    AnyMatch,
    Strategy,
    filter_by_indentation,
    has_enough_letters,
    match_everywhere,
    match_inside_line,
    match_line_trimmed,
    match_simple,
    match_trimmed_boundary,
    match_whitespace_normalized,
    match_without_empty_lines,
)

EXACT = ("simple", match_simple)
TRIMMED = ("line_trimmed", match_line_trimmed)
NORMALIZED = ("whitespace_normalized", match_whitespace_normalized)


@dataclass(frozen=True)
class StrategyResult:
    """The places that the deciding strategy found, for one reading of the request."""

    strategy: str
    request: EditRequest
    places: Sequence[AnyMatch]


# which of the places count
PlaceFilter = Callable[[Sequence[AnyMatch]], Sequence[AnyMatch]]


def find_matches(source: TextDocument, request: EditRequest) -> StrategyResult | None:
    """Return the places of the first strategy that finds any; raise TooManyBlocksError."""
    return find_lines(source, request, list) or find_similar(source, request, list)


def find_lines(
    source: TextDocument, request: EditRequest, chosen: PlaceFilter
) -> StrategyResult | None:
    """Do the same without similarity, among the places that `chosen` keeps."""
    for name, reading, strategy in _iter_attempts(request):
        places = chosen(_filter_by_line(reading, strategy(source, reading)))
        if len(places) > 1 and strategy is match_line_trimmed:
            same = filter_by_indentation(source, [p for p in places if isinstance(p, LineMatch)])
            if len(same) == 1:
                return StrategyResult(
                    "indentation_flexible" if reading.literal else name, reading, same
                )
        if places:
            return StrategyResult(name, reading, places)
    return None


def find_all(source: TextDocument, request: EditRequest) -> StrategyResult:
    """Find all places, for a change everywhere."""
    # nothing looser than whole lines without outer blanks: no place is reviewed
    return StrategyResult("multi_occurrence", request, match_everywhere(source, request))


def _filter_by_line(request: EditRequest, places: Sequence[AnyMatch]) -> Sequence[AnyMatch]:
    if request.line is None:
        return places
    return [p for p in places if isinstance(p, LineMatch) and p.start + 1 == request.line]


def _iter_attempts(request: EditRequest) -> Iterator[tuple[str, EditRequest, Strategy]]:
    for name, strategy in (EXACT, TRIMMED, NORMALIZED):
        yield name, request, strategy
    if not request.old.strip():
        return
    for reading in iter_variants(request):
        if has_enough_letters(reading.old):
            for _, strategy in (EXACT, TRIMMED, NORMALIZED):
                yield "escape_normalized", reading, strategy
    yield "trimmed_boundary", request, match_trimmed_boundary
    yield "trimmed_boundary", request, match_inside_line
    for reading in _iter_sure_variants(request):
        yield "whitespace_normalized", reading, match_without_empty_lines


def _iter_sure_variants(request: EditRequest) -> Iterator[EditRequest]:
    """Yield the request, without a fence or line numbers if it has them."""
    bare = next(without_fence(request), request)
    yield next(without_numbers(bare), bare)


def find_similar(
    source: TextDocument, request: EditRequest, chosen: PlaceFilter
) -> StrategyResult | None:
    """Find similar blocks, among the places that `chosen` keeps; raise TooManyBlocksError."""
    for reading in _iter_sure_variants(request):
        places = [
            place
            for place in chosen(find_similar_blocks(source, reading))
            if isinstance(place, LineMatch)
        ]
        if places:
            same_lines = all(pair is not None for pair in places[0].pairs)
            size = len(places[0].pairs) == places[0].end - places[0].start
            name = "block_anchor" if same_lines and size else "context_aware"
            return StrategyResult(name, reading, places)
    return None
