"""Replacing one text by another in a file, as the request meant it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..result import ToolError
from ..textedits.text_edits import TextChange, TextEdit, apply_edits, find_edit_lines, trim_overlaps
from ..textedits.unified_diff import diff_lines
from .elided_code import find_elisions, is_elision
from .matching import edit_errors
from .matching.adaptations import describe_adaptations
from .matching.boundaries import has_own_depth, indent_before
from .matching.common_lines import find_shared_lines
from .matching.document import TextDocument
from .matching.edit_request import EditRequest, LineMatch
from .matching.line_edits import to_text_edits
from .matching.normalization import measure_indent, strip_line
from .rewriting.first_line import complete_new_lines
from .rewriting.fuzzy_block import TooManyBlocksError
from .rewriting.indentation import infer_unit
from .rewriting.rewrite import rewrite_match
from .strategies import AnyMatch, TextMatch, match_simple
from .strategy_chain import StrategyResult, find_all, find_lines, find_matches

DOTS = ("...", "…")
ELIDED = ("lines left out of both texts",)


def find_elided_places(source: TextDocument, request: EditRequest) -> list[AnyMatch]:
    """Find the parts that change; empty unless each part is there once, in order."""
    parts = split_request(request)
    places = list[AnyMatch]()
    for part in parts:
        result = find_lines(source, part, list)
        if result is None or len(result.places) != 1:
            return []
        places.append(result.places[0])
    spans = [_to_line_span(source, place) for place in places]
    if any(above[1] > below[0] for above, below in pairwise(spans)):
        return []
    return [place for part, place in zip(parts, places, strict=True) if part.old != part.new]


def split_request(request: EditRequest) -> list[EditRequest]:
    """Split a request at the placeholders of both texts; empty if these differ."""
    old, new = _split_at_elisions(request.old_lines), _split_at_elisions(request.new_lines)
    if old[0] != new[0] or not old[0]:
        return []
    pairs = [(a, b) for a, b in zip(old[1], new[1], strict=True) if a or b]
    if not all("".join(a).strip() for a, _ in pairs):
        return []
    return [EditRequest(_join_lines(a), _join_lines(b), whole_lines=True) for a, b in pairs]


def _split_at_elisions(lines: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Split lines into the placeholders and the parts between them."""
    signs, parts = list[str](), list[list[str]]([[]])
    for line in lines:
        if line.strip() in DOTS or is_elision(line):
            signs.append(line.strip())
            parts.append([])
        else:
            parts[-1].append(line)
    return signs, parts


def _to_line_span(source: TextDocument, place: AnyMatch) -> tuple[int, int]:
    """Return the first line of a place, from 0, and the one after its last."""
    if not isinstance(place, TextMatch):
        return place.start, place.end
    start = source.text.count("\n", 0, place.start)
    return start, start + source.text.count("\n", place.start, place.end)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def replace_text(
    text: str,
    old: str,
    new: str,
    *,
    everywhere: bool = False,
    exact: bool = False,
    whole_lines: bool = False,
    indented: bool = False,
    line: int | None = None,
) -> TextChange:
    """Replace `old`, which must be there once, or any number of times with `everywhere`.

    Lines end with `\\n` in all three texts. `exact` accepts only an exact and unique match: the
    file changed since it was read. `whole_lines`: `old` begins where a line begins. `indented`: the
    file's language gives indentation a meaning. `line`, from 1, decides between several exact
    places. Raises ToolError with what helps to do better.
    """
    if old == new:
        raise ToolError(edit_errors.SAME)
    if not old:
        raise ToolError(edit_errors.EMPTY)
    source, request = TextDocument(text), EditRequest(old, new, whole_lines=whole_lines)
    elided = [] if exact or everywhere else _locate_elided(source, request)
    if elided:
        adapted = replace(request, adapted=ELIDED)
        return _build_change(source, StrategyResult("context_aware", adapted, elided))
    check_no_elisions(source, request)
    if exact:
        result = StrategyResult("simple", request, match_simple(source, request))
    elif everywhere:
        result = find_all(source, request)
    else:
        result = _find_places(source, request)
    if result is None or not result.places:
        raise edit_errors.make_not_found_error(
            source, request, changed=exact, everywhere=everywhere
        )
    if line is not None and result.strategy == "simple":
        named = [place for place in result.places if _find_begin_lines(source, [place]) == [line]]
        result = replace(result, places=named) if len(named) == 1 else result
    if len(result.places) > 1 and (exact or not everywhere):
        begin = _find_begin_lines(source, result.places)
        columns = _find_begin_columns(source, result.places)
        raise edit_errors.make_ambiguous_error(begin, columns, result.strategy == "simple", exact)
    if indented:
        _check_depth(source, result)
    return _build_change(source, _with_first_lines(source, result))


def _locate_elided(source: TextDocument, request: EditRequest) -> list[AnyMatch]:
    """Find the places of a request that leaves out the same lines of both texts."""
    if request.old in source.text or not split_request(request):
        return []
    result = find_lines(source, request, list)  # dots may be code
    return [] if result else find_elided_places(source, request)


def check_no_elisions(source: TextDocument, request: EditRequest) -> None:
    """Raise ToolError for a placeholder in the new text, or in an old text not in the file."""
    if missing := _find_new_elisions(request.new, request.old):  # which may be escaped, on one line
        raise edit_errors.make_elision_error(missing[0], "new_string")
    if request.old not in source.text and (
        missing := _find_new_elisions(request.old, source.normalize_lines(strip_line))
    ):
        raise edit_errors.make_old_elision_error(source, request, missing[0])


def _find_places(source: TextDocument, request: EditRequest) -> StrategyResult | None:
    try:
        return find_matches(source, request)
    except TooManyBlocksError as error:
        raise edit_errors.make_too_many_error() from error


def _find_new_elisions(text: str, existing: str | Sequence[str]) -> list[str]:
    return [line for line in find_elisions(text.split("\n")) if line.strip() not in existing]


def _check_depth(source: TextDocument, result: StrategyResult) -> None:
    """Raise ToolError if the old text lacks its indentation and new lines have another one."""
    for place in result.places:
        if isinstance(place, TextMatch) and has_own_depth(
            indent_before(source.text, place.start), result.request.old, place.new
        ):
            raise edit_errors.make_depth_error(_find_begin_lines(source, [place])[0])


def _with_first_lines(source: TextDocument, result: StrategyResult) -> StrategyResult:
    """Give the new lines of each place the indentation that its first old line lacks."""
    places = [
        place if isinstance(place, LineMatch) else _complete_first_line(source, result, place)
        for place in result.places
    ]
    return replace(result, places=places)


def _complete_first_line(
    source: TextDocument, result: StrategyResult, place: TextMatch
) -> TextMatch:
    """Do so for text that begins after the indentation of its line; raises ToolError."""
    cut, request = indent_before(source.text, place.start), result.request
    old, new = request.old.split("\n"), place.new.split("\n")
    if not cut or not any(line.startswith(cut) and line.strip() for line in old[1:]):
        return place
    shared, unit = find_shared_lines(old, new), measure_indent(infer_unit(source.lines))
    try:
        lines = complete_new_lines(cut, old, new, shared, unit)
    except ToolError as refusal:
        start = _find_begin_lines(source, [place])[0] - 1
        there = LineMatch(old, new, start, start + len(old), ())
        raise edit_errors.with_lines(refusal, source, there) from refusal
    return replace(place, new="\n".join(lines).removeprefix(cut))


def _find_begin_lines(source: TextDocument, places: Sequence[AnyMatch]) -> list[int]:
    """Find the lines, from 1, at which places begin."""
    lines, line, done = list[int](), 1, 0
    for place in places:
        if isinstance(place, LineMatch):
            lines.append(place.start + 1)
            continue
        line, done = line + source.text.count("\n", done, place.start), place.start
        lines.append(line)
    return lines


def _find_begin_columns(source: TextDocument, places: Sequence[AnyMatch]) -> list[int]:
    """Find the columns, from 1, at which places begin; whole lines begin at 1."""
    starts = [place.start for place in places if isinstance(place, TextMatch)]
    if len(starts) < len(places):
        return [1] * len(places)
    return [start - source.text.rfind("\n", 0, start) for start in starts]


def _build_change(source: TextDocument, result: StrategyResult) -> TextChange:
    places = result.places
    pieces = trim_overlaps([piece for place in places for piece in build_edits(source, place)])
    text = apply_edits(source.text, pieces)
    if text == source.text:
        raise edit_errors.make_unchanged_error(_find_begin_lines(source, places)[0])
    matches = [place for place in places if isinstance(place, LineMatch)]
    adapted = (*result.request.adapted, *describe_adaptations(source, matches))
    if result.strategy == "trimmed_boundary" and not matches:
        adapted = ("blanks around it",)
    lines = find_edit_lines(source.text, pieces)
    return TextChange(text, tuple(pieces), lines, result.strategy, tuple(dict.fromkeys(adapted)))


def build_edits(source: TextDocument, place: AnyMatch) -> list[TextEdit]:
    """Build the edits of a place; raise ToolError if it is not clear what is meant."""
    if isinstance(place, TextMatch):
        old = source.text[place.start : place.end]
        ended = source.text[place.end : place.end + 1] == "\n"  # then kept lines keep their ends
        end = "\n" if ended and not old.endswith("\n") else ""
        return diff_to_edits(place.start, old + end, place.new + end)
    there = source.lines[place.start : place.end] == list(place.old)
    if not there and list(map(strip_line, place.old)) == list(map(strip_line, place.new)):
        raise edit_errors.with_lines(edit_errors.make_indentation_error(), source, place)
    return to_text_edits(source, rewrite_match(source, place))


def diff_to_edits(start: int, old: str, new: str) -> list[TextEdit]:
    """Build the edits of changed lines alone; `old` begins at `start` in the file."""
    before, after = _split_lines(old), _split_lines(new)
    places = [start]
    for line in before:
        places.append(places[-1] + len(line))
    return [
        TextEdit(
            places[part.start], places[part.end], "".join(after[part.new_start : part.new_end])
        )
        for part in diff_lines(before, after)
        if part.kind != "equal"
    ]


def _split_lines(text: str) -> list[str]:
    """Split into lines with their ends; the last may have none."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
