"""The strategies in their order: the first that finds anything decides."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .matching.document import Source
from .matching.edit_request import Match, Request
from .request_variants import readings, without_fence, without_numbers
from .rewriting.fuzzy_block import alike
from .strategies import (
    Place,
    Strategy,
    every,
    indentation_flexible,
    inside_a_line,
    is_telling,
    line_trimmed,
    simple,
    trimmed_boundary,
    whitespace_normalized,
    without_empty_lines,
)

EXACT = ("simple", simple)
TRIMMED = ("line_trimmed", line_trimmed)
NORMALIZED = ("whitespace_normalized", whitespace_normalized)


@dataclass(frozen=True)
class Found:
    """All places that the deciding strategy found, for one reading of the request."""

    strategy: str
    request: Request
    places: Sequence[Place]


Choice = Callable[[Sequence[Place]], Sequence[Place]]
"""Which of the places count."""


def find(source: Source, request: Request) -> Found | None:
    """What the first strategy finds that finds anything; raises alike.TooMany."""
    return find_lines(source, request, list) or find_alike(source, request, list)


def find_lines(source: Source, request: Request, chosen: Choice) -> Found | None:
    """The same without likeness, of the places that count."""
    for name, reading, strategy in _attempts(request):
        places = chosen(_at_its_line(reading, strategy(source, reading)))
        if len(places) > 1 and strategy is line_trimmed:
            same = indentation_flexible(source, [p for p in places if isinstance(p, Match)])
            if len(same) == 1:
                return Found("indentation_flexible" if reading.literal else name, reading, same)
        if places:
            return Found(name, reading, places)
    return None


def find_all(source: Source, request: Request) -> Found:
    """All places, for a change everywhere; nothing is looser than whole lines but for blanks."""
    return Found("multi_occurrence", request, every(source, request))


def _at_its_line(request: Request, places: Sequence[Place]) -> Sequence[Place]:
    if request.line is None:
        return places
    return [p for p in places if isinstance(p, Match) and p.start + 1 == request.line]


def _attempts(request: Request) -> Iterator[tuple[str, Request, Strategy]]:
    for name, strategy in (EXACT, TRIMMED, NORMALIZED):
        yield name, request, strategy
    if not request.old.strip():
        return
    for reading in readings(request):
        if is_telling(reading.old):
            for _, strategy in (EXACT, TRIMMED, NORMALIZED):
                yield "escape_normalized", reading, strategy
    yield "trimmed_boundary", request, trimmed_boundary
    yield "trimmed_boundary", request, inside_a_line
    for reading in _sure_readings(request):
        yield "whitespace_normalized", reading, without_empty_lines


def _sure_readings(request: Request) -> Iterator[Request]:
    """The request, without a fence or line numbers if it has them."""
    bare = next(without_fence(request), request)
    yield next(without_numbers(bare), bare)


def find_alike(source: Source, request: Request, chosen: Choice) -> Found | None:
    """What is like the request, of the places that count; raises alike.TooMany."""
    for reading in _sure_readings(request):
        places = [place for place in chosen(alike(source, reading)) if isinstance(place, Match)]
        if places:
            same_lines = all(pair is not None for pair in places[0].pairs)
            size = len(places[0].pairs) == places[0].end - places[0].start
            name = "block_anchor" if same_lines and size else "context_aware"
            return Found(name, reading, places)
    return None
