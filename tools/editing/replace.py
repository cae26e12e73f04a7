"""Replace one text by another in a file's text, as the request meant it."""

from collections.abc import Sequence
from dataclasses import replace

from ..result import ToolRefusal
from ..textedits.text_edits import Change, Piece, apart, begin_lines, put
from .elided_code import left_out
from .elided_runs import elided_parts, elided_places
from .matching import edit_errors
from .matching.adaptations import described
from .matching.boundaries import has_own_depth, indent_before
from .matching.document import Source
from .matching.edit_request import Match, Request
from .matching.line_edits import pieces_of
from .matching.normalization import trimmed
from .minimal_edits import exact_pieces
from .rewriting.fuzzy_block import TooMany
from .rewriting.rewrite import rewrite
from .strategies import Part, Place, simple
from .strategy_chain import Found, find, find_all, find_lines

ELIDED = ("lines left out of both texts",)


def change(
    text: str,
    old: str,
    new: str,
    *,
    everywhere: bool = False,
    exact: bool = False,
    whole_lines: bool = False,
    indented: bool = False,
    line: int | None = None,
) -> Change:
    """The text with `new` for `old`, which must be there once, or more often when `everywhere`.

    Lines end with `\\n` in all three. `exact` is for a file that changed since it was read: only
    an exact and unique match applies. `whole_lines` says that `old` begins with a line, `indented`
    that the file is of a language in which indentation has a meaning. `line`, from 1, decides
    between several exact places. Raises ToolRefusal with what helps to do better.
    """
    if old == new:
        raise ToolRefusal(edit_errors.SAME)
    if not old:
        raise ToolRefusal(edit_errors.EMPTY)
    source, request = Source(text), Request(old, new, whole_lines=whole_lines)
    elided = [] if exact or everywhere else _elided(source, request)
    if elided:
        return _changed(source, Found("context_aware", replace(request, adapted=ELIDED), elided))
    check_written_out(source, request)
    if exact:
        found = Found("simple", request, simple(source, request))
    elif everywhere:
        found = find_all(source, request)
    else:
        found = _find(source, request)
    if found is None or not found.places:
        raise edit_errors.not_found(source, request, changed=exact, everywhere=everywhere)
    if line is not None and found.strategy == "simple":
        named = [one for one in found.places if _begin(source, [one]) == [line]]
        found = replace(found, places=named) if len(named) == 1 else found
    if len(found.places) > 1 and (exact or not everywhere):
        begin, columns = _begin(source, found.places), _columns(source, found.places)
        raise edit_errors.ambiguous(begin, columns, found.strategy == "simple", exact)
    if indented:
        _check_depth(source, found)
    return _changed(source, found)


def _elided(source: Source, request: Request) -> list[Place]:
    """The places of a request that leaves out the same lines of both texts."""
    if request.old in source.text or not elided_parts(request):
        return []
    known = find_lines(source, request, list)  # dots may be code
    return [] if known else elided_places(source, request)


def check_written_out(source: Source, request: Request) -> None:
    """Refuse a line that stands for code, in the new text or, if not in the file, in the old."""
    if missing := _not_written_out(request.new, request.old):  # which may be escaped, on one line
        raise edit_errors.placeholder(missing[0], "new_string")
    if request.old not in source.text and (
        missing := _not_written_out(request.old, source.keys(trimmed))
    ):
        raise edit_errors.left_out_of_old(source, request, missing[0])


def _find(source: Source, request: Request) -> Found | None:
    try:
        return find(source, request)
    except TooMany as error:
        raise edit_errors.too_many_alike() from error


def _not_written_out(text: str, known: str | Sequence[str]) -> list[str]:
    return [line for line in left_out(text.split("\n")) if line.strip() not in known]


def _check_depth(source: Source, found: Found) -> None:
    """New lines below the first must stand at the file's depth where the old text lacks its own."""
    for place in found.places:
        if isinstance(place, Part) and has_own_depth(
            indent_before(source.text, place.start), found.request.old, place.new
        ):
            raise edit_errors.depth_unclear(_begin(source, [place])[0])


def _begin(source: Source, places: Sequence[Place]) -> list[int]:
    """The lines, from 1, at which places begin."""
    lines, line, done = list[int](), 1, 0
    for place in places:
        if isinstance(place, Match):
            lines.append(place.start + 1)
            continue
        line, done = line + source.text.count("\n", done, place.start), place.start
        lines.append(line)
    return lines


def _columns(source: Source, places: Sequence[Place]) -> list[int]:
    """The columns, from 1, at which places begin; whole lines at the first."""
    starts = [place.start for place in places if isinstance(place, Part)]
    if len(starts) < len(places):
        return [1] * len(places)
    return [start - source.text.rfind("\n", 0, start) for start in starts]


def _changed(source: Source, found: Found) -> Change:
    places = found.places
    pieces = apart([piece for place in places for piece in pieces_for(source, place)])
    text = put(source.text, pieces)
    if text == source.text:
        raise edit_errors.no_change(_begin(source, places)[0])
    matches = [place for place in places if isinstance(place, Match)]
    adapted = (*found.request.adapted, *described(source, matches))
    if found.strategy == "trimmed_boundary" and not matches:
        adapted = ("blanks around it",)
    lines = begin_lines(source.text, pieces)
    return Change(text, tuple(pieces), lines, found.strategy, tuple(dict.fromkeys(adapted)))


def pieces_for(source: Source, place: Place) -> list[Piece]:
    """What changes at a place; raises ToolRefusal where it is not clear what is meant."""
    if isinstance(place, Part):
        old = source.text[place.start : place.end]
        ended = source.text[place.end : place.end + 1] == "\n"  # then kept lines keep their ends
        end = "\n" if ended and not old.endswith("\n") else ""
        return exact_pieces(place.start, old + end, place.new + end)
    there = source.lines[place.start : place.end] == list(place.old)
    if not there and list(map(trimmed, place.old)) == list(map(trimmed, place.new)):
        raise edit_errors.with_lines(edit_errors.only_blanks(), source, place)
    return pieces_of(source, rewrite(source, place))
