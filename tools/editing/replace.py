"""Replace one text by another in a file's text, as the request meant it."""

from collections.abc import Sequence

from ..result import ToolRefusal
from ..textedits.text_edits import Change, Piece, apart, begin_lines, put
from .elided_code import left_out
from .matching import edit_errors
from .matching.adaptations import described
from .matching.document import Source
from .matching.edit_request import Match, Request
from .matching.line_edits import pieces_of
from .matching.normalization import trimmed
from .minimal_edits import exact_pieces
from .rewriting.fuzzy_block import TooMany
from .rewriting.rewrite import rewrite
from .strategies import Part, Place, simple
from .strategy_chain import Found, find, find_all


def change(
    text: str,
    old: str,
    new: str,
    *,
    everywhere: bool = False,
    exact: bool = False,
    whole_lines: bool = False,
) -> Change:
    """The text with `new` for `old`, which must be there once, or more often when `everywhere`.

    Lines end with `\\n` in all three. `exact` is for a file that changed since it was read: only
    an exact and unique match applies. `whole_lines` says that `old` begins with a line. Raises
    ToolRefusal with what helps to do better.
    """
    if old == new:
        raise ToolRefusal(edit_errors.SAME)
    if not old:
        raise ToolRefusal(edit_errors.EMPTY)
    source, request = Source(text), Request(old, new, whole_lines=whole_lines)
    if missing := _not_written_out(new, old):  # which may be escaped, all on one line
        raise edit_errors.placeholder(missing[0], "new_string")
    if exact:
        found = Found("simple", request, simple(source, request))
    elif everywhere:
        found = find_all(source, request)
    else:
        found = _find(source, request)
    if found is None or not found.places:
        raise edit_errors.not_found(source, request, changed=exact, everywhere=everywhere)
    if len(found.places) > 1 and (exact or not everywhere):
        raise edit_errors.ambiguous(_begin(source, found.places), found.strategy == "simple", exact)
    return _changed(source, found)


def _find(source: Source, request: Request) -> Found | None:
    if request.old not in source.text and (
        missing := _not_written_out(request.old, source.keys(trimmed))
    ):
        raise edit_errors.left_out_of_old(source, request, missing[0])
    try:
        return find(source, request)
    except TooMany as error:
        raise edit_errors.too_many_alike() from error


def _not_written_out(text: str, known: str | Sequence[str]) -> list[str]:
    return [line for line in left_out(text.split("\n")) if line.strip() not in known]


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


def _changed(source: Source, found: Found) -> Change:
    places = found.places
    pieces = apart([piece for place in places for piece in _pieces(source, found.request, place)])
    text = put(source.text, pieces)
    if text == source.text:
        raise edit_errors.no_change(_begin(source, places)[0])
    matches = [place for place in places if isinstance(place, Match)]
    adapted = (*found.request.adapted, *described(source, matches))
    if found.strategy == "trimmed_boundary" and not matches:
        adapted = ("blanks around it",)
    lines = begin_lines(source.text, pieces)
    return Change(text, tuple(pieces), lines, found.strategy, tuple(dict.fromkeys(adapted)))


def _pieces(source: Source, request: Request, place: Place) -> list[Piece]:
    if isinstance(place, Part):
        return exact_pieces(place.start, source.text[place.start : place.end], place.new)
    if list(map(trimmed, place.old)) == list(map(trimmed, place.new)):
        raise edit_errors.with_lines(edit_errors.only_blanks(), source, place)
    return pieces_of(source, rewrite(source, place))
