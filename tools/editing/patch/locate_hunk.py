"""Locating the lines of a hunk in a file."""

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ...result import ToolError
from ..matching import edit_errors
from ..matching.common_lines import Pairs, with_moved
from ..matching.document import TextDocument, find_rows
from ..matching.edit_request import EditRequest, LineMatch
from ..matching.line_similarity import has_same_facts, has_same_strings, measure_similarity
from ..matching.normalization import (
    indent_of,
    measure_indent,
    normalize_line,
    strip_line,
    strip_line_end,
)
from ..rewriting.fuzzy_block import TooManyBlocksError
from ..strategies import AnyMatch, TextMatch, match_lines
from ..strategy_chain import StrategyResult, find_lines, find_similar

# how alike an outer line is to the file's where both are of one kind
MIN_SIMILARITY = 0.70
# old lines that must fit where an outer one of the context does not
MIN_REMAINING_LINES = 3

# lines of a file, from 0, at which a hunk may begin
LineScope = range | set[int]


@dataclass(frozen=True)
class HunkLocation:
    """The place of a hunk, and its first line in the file, from 0."""

    place: AnyMatch
    start: int
    strategy: str
    adapted: tuple[str, ...] = ()


def find_hunk(
    source: TextDocument,
    lines: Sequence[str],
    line: int | None,
    at_end: bool,
    context: Sequence[str],
) -> HunkLocation:
    """Find the place of a hunk; raise ToolError if it has none or several.

    `line`, from 1, decides between several exact places only when one of them begins just there.
    """
    request, scopes = build_request(lines), list(_iter_scopes(source, context))
    for within in scopes:
        placed = (
            _find_exact(source, lines, within, line, at_end)
            or _find_inexact(
                source, lines, find_lines(source, request, _filter_within(source, within)), at_end
            )
            or _without_an_outer_line(source, lines, within)
        )
        if placed:
            return placed
    for within in scopes:
        try:
            result = find_similar(source, request, _filter_within(source, within))
        except TooManyBlocksError as error:
            raise edit_errors.make_too_many_error() from error
        if placed := _find_inexact(source, lines, result, at_end):
            return placed
    raise edit_errors.make_hunk_error(source, request.old_lines, request.new_lines, context)


def build_request(lines: Sequence[str]) -> EditRequest:
    """Build the request of a hunk's lines, which have their signs."""
    old = [line[1:] for line in lines if line[:1] != "+"]
    new = [line[1:] for line in lines if line[:1] != "-"]
    return EditRequest(_join_lines(old), _join_lines(new), whole_lines=True)


def map_kept_lines(lines: Sequence[str]) -> Pairs:
    """Pair the old and new lines that a hunk keeps, by its signs."""
    pairs, at_old, at_new = list[tuple[int, int]](), 0, 0
    for line in lines:
        if line[:1] not in ("+", "-"):
            pairs.append((at_old, at_new))
        at_old, at_new = at_old + (line[:1] != "+"), at_new + (line[:1] != "-")
    return pairs


def _find_exact(
    source: TextDocument, lines: Sequence[str], within: LineScope, line: int | None, at_end: bool
) -> HunkLocation | None:
    request = build_request(lines)
    old = request.old_lines
    starts = [start for start in find_rows(source.lines, old) if start in within]
    ends = [start for start in starts[-1:] if at_end and start + len(old) == len(source.lines)]
    named = [start for start in starts if line is not None and start == line - 1]
    chosen = ends or (named if len(starts) > 1 and named else starts)
    if not chosen:
        return None
    start = _require_one([start + 1 for start in chosen]) - 1
    end, shared = start + len(old), map_kept_lines(lines)
    match = LineMatch(old, request.new_lines, start, end, range(start, end), shared=shared)
    return HunkLocation(match, start, "simple")


def _find_inexact(
    source: TextDocument, lines: Sequence[str], result: StrategyResult | None, at_end: bool
) -> HunkLocation | None:
    """Locate an inexact place; a line number does not choose between several."""
    if result is None:
        return None
    begins = {_find_start_line(source, place): place for place in result.places}
    last = max(begins)
    if at_end and _find_end_line(source, begins[last]) == len(source.lines):
        begins = {last: begins[last]}
    start = _require_one([start + 1 for start in begins]) - 1
    place = begins[start]
    if result.request.literal and isinstance(place, LineMatch):
        place = replace(place, shared=with_moved(map_kept_lines(lines), place.old, place.new))
    return HunkLocation(place, start, result.strategy, result.request.adapted)


def _require_one(starts: Sequence[int]) -> int:
    if len(starts) > 1:
        raise ToolError(edit_errors.describe_ambiguous_hunk(starts))
    return starts[0]


def _is_addition(lines: Sequence[str]) -> bool:
    """Return whether a hunk begins with new lines that replace none: the line above says where."""
    signs = [line[:1] for line in takewhile(lambda line: line[:1] in ("+", "-"), lines)]
    return bool(signs) and "-" not in signs


def _is_sibling(source: TextDocument, outer: str, number: int) -> bool:
    """Return whether the file has a similar line there that means another place."""
    real = source.lines[number] if 0 <= number < len(source.lines) else ""
    near = measure_similarity(outer.strip(), real.strip()) >= MIN_SIMILARITY
    return near and not (has_same_facts(outer, real) and has_same_strings(outer, real))


def _is_nearly_there(source: TextDocument, old: Sequence[str], outer: str, is_first: bool) -> bool:
    """Return whether the file has the outer line with most of the others beside it.

    Then these are meant, although one of them is misremembered, and not lines like them elsewhere.
    """
    keys, outer_key = source.normalize_lines(normalize_line), normalize_line(outer)
    if not outer_key:
        return False
    old_keys = [normalize_line(line) for line in old]
    for number, key in enumerate(keys):
        start = number + 1 if is_first else number - len(old)
        if key == outer_key and start >= 0:
            equal = sum(map(str.__eq__, old_keys, keys[start : start + len(old)]))
            if 2 * equal > len(old):
                return True
    return False


def _filter_within(
    source: TextDocument, within: LineScope
) -> Callable[[Sequence[AnyMatch]], Sequence[AnyMatch]]:
    """Build a filter for places of whole lines that begin within a scope."""

    def filter_places(places: Sequence[AnyMatch]) -> Sequence[AnyMatch]:
        whole = [
            place for place in places if isinstance(place, LineMatch) or _is_whole(source, place)
        ]
        return [place for place in whole if _find_start_line(source, place) in within]

    return filter_places


def _is_whole(source: TextDocument, part: TextMatch) -> bool:
    text = source.text
    begins = part.start == 0 or text[part.start - 1] == "\n"
    return begins and (part.end == len(text) or text[part.end - 1] == "\n")


def _find_start_line(source: TextDocument, place: AnyMatch) -> int:
    return (
        place.start if isinstance(place, LineMatch) else bisect(source.line_starts, place.start) - 1
    )


def _find_end_line(source: TextDocument, place: AnyMatch) -> int:
    return place.end if isinstance(place, LineMatch) else bisect(source.line_starts, place.end - 1)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _without_an_outer_line(
    source: TextDocument, lines: Sequence[str], within: LineScope
) -> HunkLocation | None:
    """Locate a hunk whose first or last line of context is another one in the file."""
    shorter = [(lines[1:], lines[0]), (lines[:-1], lines[-1])]
    edges = lines[1:], lines[-2::-1]
    places = list[HunkLocation]()
    for (rest, outer), inward in zip(shorter, edges, strict=True):
        request = build_request(rest)
        if (
            outer[:1] in ("+", "-")
            or len(request.old_lines) < MIN_REMAINING_LINES
            or _is_addition(inward)
            or _is_nearly_there(source, request.old_lines, outer[1:], rest is shorter[0][0])
        ):
            continue
        for key in (str, strip_line_end, strip_line, normalize_line):
            step = -1 if rest is shorter[0][0] else len(request.old_lines)
            matches = [
                match
                for match in match_lines(source, request, key)
                if match.start in within and not _is_sibling(source, outer[1:], match.start + step)
            ]
            adapted = (f"the line `{outer[1:].strip()}` of the context, which the file has not",)
            for match in matches:
                shared = with_moved(map_kept_lines(rest), match.old, match.new)
                place = replace(match, shared=shared)
                places.append(HunkLocation(place, match.start, "context_aware", adapted))
            if matches:
                break
    return places[0] if len(places) == 1 else None


def _iter_scopes(source: TextDocument, context: Sequence[str]) -> Iterator[LineScope]:
    """Yield the lines, from 0, at which a hunk below its `@@` lines may begin.

    First the indented body of the last one; then all lines below it.
    """
    size = len(source.lines)
    yield _find_scope(source, context, _find_body)
    if context:
        yield _find_scope(source, context, lambda source, head: range(head, size))


def find_only_line(source: TextDocument, context: Sequence[str]) -> int:
    """Find the line, from 0, that the last `@@` line names; raise ToolError unless it is the one.

    A line that ends within brackets is not the end of what it begins, so nothing follows it.
    """
    heads = _find_heads(source, context[-1], _find_scope(source, context[:-1], _find_body))
    line = source.lines[heads[0]].rstrip()
    if len(heads) > 1 or line.endswith(("(", "[", ",", "\\")):
        raise ToolError(edit_errors.NO_PLACE)
    return heads[0]


def _find_scope(
    source: TextDocument, context: Sequence[str], below: Callable[[TextDocument, int], range]
) -> LineScope:
    allowed: LineScope = range(len(source.lines))
    for text in context:
        heads = _find_heads(source, text, allowed)
        allowed = {number for head in heads for number in below(source, head)}
    return allowed


def _find_heads(source: TextDocument, text: str, allowed: LineScope) -> list[int]:
    """Find the lines that an `@@` line names: those that are it, else those that contain it."""
    keys, context_key = source.normalize_lines(normalize_line), normalize_line(text)
    heads = [number for number in allowed if keys[number] == context_key]
    heads = heads or [number for number in allowed if context_key in keys[number]]
    if not heads:
        raise ToolError(edit_errors.NO_CONTEXT.format(text=text))
    return sorted(heads)


def _find_body(source: TextDocument, head: int) -> range:
    depth, end = measure_indent(indent_of(source.lines[head])), head + 1
    while end < len(source.lines):
        line = source.lines[end]
        if line.strip() and line.strip() != "{" and measure_indent(indent_of(line)) <= depth:
            return range(head, end + 1)
        end += 1
    return range(head, end)
