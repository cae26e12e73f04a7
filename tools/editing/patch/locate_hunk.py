"""Where the lines of a hunk stand in a file."""

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ...result import ToolRefusal
from ..matching import edit_errors
from ..matching.common_lines import Pairs, with_moved
from ..matching.document import Source, rows_of
from ..matching.edit_request import Match, Request
from ..matching.line_similarity import likeness, same_facts, same_strings
from ..matching.normalization import columns, folded, indent_of, right_trimmed, trimmed
from ..rewriting.fuzzy_block import TooMany
from ..strategies import Part, Place, rows
from ..strategy_chain import Found, find_alike, find_lines

ALIKE = 0.70
"""How alike an outer line is to the file's where both are of one kind."""
FEWEST_LEFT = 3
"""Old lines that must fit where an outer one of the context does not."""

Scope = range | set[int]
"""Lines of a file, from 0, at which a hunk may begin."""


@dataclass(frozen=True)
class Placed:
    """The place of a hunk, and the line of the file, from 0, where it begins."""

    place: Place
    start: int
    strategy: str
    adapted: tuple[str, ...] = ()


def place_hunk(
    source: Source,
    lines: Sequence[str],
    line: int | None,
    at_end: bool,
    context: Sequence[str],
) -> Placed:
    """The one place of the hunk; raises ToolRefusal when it has none or several.

    `line`, from 1, decides between several exact places only when one of them begins just there.
    """
    request, scopes = request_of(lines), list(_narrowed(source, context))
    for within in scopes:
        placed = (
            _exactly(source, lines, within, line, at_end)
            or _nearly(source, lines, find_lines(source, request, _in(source, within)), at_end)
            or _without_an_outer_line(source, lines, within)
        )
        if placed:
            return placed
    for within in scopes:
        try:
            found = find_alike(source, request, _in(source, within))
        except TooMany as error:
            raise edit_errors.too_many_alike() from error
        if placed := _nearly(source, lines, found, at_end):
            return placed
    raise edit_errors.hunk_not_found(source, request.old_lines, request.new_lines, context)


def request_of(lines: Sequence[str]) -> Request:
    """What a hunk's lines, with their signs, ask for."""
    old = [line[1:] for line in lines if line[:1] != "+"]
    new = [line[1:] for line in lines if line[:1] != "-"]
    return Request(_text(old), _text(new), whole_lines=True)


def kept_lines(lines: Sequence[str]) -> Pairs:
    """Which old line is which new one, by the signs of a hunk's lines."""
    kept, at_old, at_new = list[tuple[int, int]](), 0, 0
    for line in lines:
        if line[:1] not in ("+", "-"):
            kept.append((at_old, at_new))
        at_old, at_new = at_old + (line[:1] != "+"), at_new + (line[:1] != "-")
    return kept


def _exactly(
    source: Source, lines: Sequence[str], within: Scope, line: int | None, at_end: bool
) -> Placed | None:
    request = request_of(lines)
    old = request.old_lines
    starts = [start for start in rows_of(source.lines, old) if start in within]
    ends = [start for start in starts[-1:] if at_end and start + len(old) == len(source.lines)]
    named = [start for start in starts if line is not None and start == line - 1]
    chosen = ends or (named if len(starts) > 1 and named else starts)
    if not chosen:
        return None
    start = _one([start + 1 for start in chosen]) - 1
    end, shared = start + len(old), kept_lines(lines)
    match = Match(old, request.new_lines, start, end, range(start, end), shared=shared)
    return Placed(match, start, "simple")


def _nearly(
    source: Source, lines: Sequence[str], found: Found | None, at_end: bool
) -> Placed | None:
    """A place that is not exact, which no number chooses."""
    if found is None:
        return None
    begins = {_line_of(source, place): place for place in found.places}
    last = max(begins)
    if at_end and _end_of(source, begins[last]) == len(source.lines):
        begins = {last: begins[last]}
    start = _one([start + 1 for start in begins]) - 1
    place = begins[start]
    if found.request.literal and isinstance(place, Match):
        place = replace(place, shared=with_moved(kept_lines(lines), place.old, place.new))
    return Placed(place, start, found.strategy, found.request.adapted)


def _one(starts: Sequence[int]) -> int:
    if len(starts) > 1:
        raise ToolRefusal(edit_errors.hunk_ambiguous(starts))
    return starts[0]


def _only_adds(lines: Sequence[str]) -> bool:
    """Whether a hunk begins with new lines that take no other's place: what is above says where."""
    signs = [line[:1] for line in takewhile(lambda line: line[:1] in ("+", "-"), lines)]
    return bool(signs) and "-" not in signs


def _is_sibling(source: Source, outer: str, number: int) -> bool:
    """Whether the file has a line like an outer one there that tells of another place."""
    real = source.lines[number] if 0 <= number < len(source.lines) else ""
    near = likeness(outer.strip(), real.strip()) >= ALIKE
    return near and not (same_facts(outer, real) and same_strings(outer, real))


def _in(source: Source, within: Scope) -> Callable[[Sequence[Place]], Sequence[Place]]:
    """The places of whole lines that begin where a hunk may."""

    def chosen(places: Sequence[Place]) -> Sequence[Place]:
        whole = [place for place in places if isinstance(place, Match) or _is_whole(source, place)]
        return [place for place in whole if _line_of(source, place) in within]

    return chosen


def _is_whole(source: Source, part: Part) -> bool:
    text = source.text
    begins = part.start == 0 or text[part.start - 1] == "\n"
    return begins and (part.end == len(text) or text[part.end - 1] == "\n")


def _line_of(source: Source, place: Place) -> int:
    return place.start if isinstance(place, Match) else bisect(source.starts, place.start) - 1


def _end_of(source: Source, place: Place) -> int:
    return place.end if isinstance(place, Match) else bisect(source.starts, place.end - 1)


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _without_an_outer_line(source: Source, lines: Sequence[str], within: Scope) -> Placed | None:
    """The one place where the first or the last line of the context is another one in the file."""
    shorter = [(lines[1:], lines[0]), (lines[:-1], lines[-1])]
    edges = lines[1:], lines[-2::-1]
    places = list[Placed]()
    for (rest, outer), inward in zip(shorter, edges, strict=True):
        request = request_of(rest)
        if outer[:1] in ("+", "-") or len(request.old_lines) < FEWEST_LEFT or _only_adds(inward):
            continue
        for key in (str, right_trimmed, trimmed, folded):
            step = -1 if rest is shorter[0][0] else len(request.old_lines)
            found = [
                match
                for match in rows(source, request, key)
                if match.start in within and not _is_sibling(source, outer[1:], match.start + step)
            ]
            adapted = (f"the line `{outer[1:].strip()}` of the context, which the file has not",)
            for match in found:
                shared = with_moved(kept_lines(rest), match.old, match.new)
                place = replace(match, shared=shared)
                places.append(Placed(place, match.start, "context_aware", adapted))
            if found:
                break
    return places[0] if len(places) == 1 else None


def _narrowed(source: Source, context: Sequence[str]) -> Iterator[Scope]:
    """The lines, from 0, at which a hunk below the lines of the context may begin.

    First those that are indented more, up to the next line that is not; then all that follow.
    """
    size = len(source.lines)
    yield _within(source, context, _inside)
    if context:
        yield _within(source, context, lambda source, head: range(head, size))


def _within(source: Source, context: Sequence[str], below: Callable[[Source, int], range]) -> Scope:
    allowed: Scope = range(len(source.lines))
    for text in context:
        keys, wanted = source.keys(folded), folded(text)
        heads = [number for number in allowed if keys[number] == wanted]
        heads = heads or [number for number in allowed if wanted in keys[number]]
        if not heads:
            raise ToolRefusal(edit_errors.NO_CONTEXT.format(text=text))
        allowed = {number for head in heads for number in below(source, head)}
    return allowed


def _inside(source: Source, head: int) -> range:
    depth, end = columns(indent_of(source.lines[head])), head + 1
    while end < len(source.lines):
        line = source.lines[end]
        if line.strip() and line.strip() != "{" and columns(indent_of(line)) <= depth:
            return range(head, end + 1)
        end += 1
    return range(head, end)
