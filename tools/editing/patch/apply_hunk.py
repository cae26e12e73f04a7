"""Apply one hunk of a patch to a file's text."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...result import ToolRefusal
from ...textedits.text_edits import Change, Piece, begin_lines, put
from ..matching import edit_errors
from ..matching.adaptations import described
from ..matching.document import Source
from ..matching.edit_request import Match
from ..matching.line_edits import pieces_of
from ..matching.normalization import indent_of, one_to_one
from ..replace import check_written_out, pieces_for
from ..rewriting.rewrite import rewrite
from .locate_hunk import Placed, kept_lines, place_hunk, request_of


@dataclass(frozen=True)
class Hunk:
    """Lines to keep, to take out and to put in, and what is said about where they stand."""

    lines: tuple[str, ...]
    """Each with its sign first: a blank keeps it, `-` takes it out, `+` puts it in; no `\\n`."""
    line: int | None = None
    """Where the header says it begins, from 1 in the old text."""
    at_end: bool = False
    """The patch says that the hunk ends with the file."""
    context: tuple[str, ...] = ()
    """The texts after `@@`: lines above the hunk, outermost first."""
    old_unended: bool = False
    """`\\ No newline at end of file` after the last old line."""
    new_unended: bool = False
    """The same after the last new line."""

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must stand in the file."""
        return tuple(line[1:] for line in self.lines if line[:1] != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that stand there afterwards."""
        return tuple(line[1:] for line in self.lines if line[:1] != "-")


def change_hunk(text: str, hunk: Hunk) -> Change:
    """The text after the hunk; raises ToolRefusal with what helps to do better."""
    return change_source(Source(text), hunk)


def change_source(source: Source, hunk: Hunk) -> Change:
    """The same, for several hunks of one text."""
    if not hunk.old:
        return _inserted(source, hunk)
    ends = hunk.at_end or hunk.old_unended or hunk.new_unended
    check_written_out(source, request_of(hunk.lines))
    placed = place_hunk(source, hunk.lines, hunk.line, ends, hunk.context)
    place = placed.place
    matches = [place] if isinstance(place, Match) else []
    for match in matches:
        _check_depth(source, match, hunk)
    pieces = pieces_for(source, place)
    if hunk.old_unended or hunk.new_unended:
        end = place.end if isinstance(place, Match) else source.text.count("\n", 0, place.end)
        if end != len(source.lines):
            raise ToolRefusal(edit_errors.NOT_AT_END.format(line=end))
        if hunk.new or placed.start:  # some line is left to be the last
            pieces = _with_end(source.text, pieces, ended=not hunk.new_unended)
    return _change(source, pieces, placed, described(source, matches))


def _check_depth(source: Source, match: Match, hunk: Hunk) -> None:
    """Refuse new lines at the file's depth among lines to keep that are at another.

    The lines to keep are those of both texts, so nothing says at which depth new ones are meant.
    """
    kept = {old for old, _ in kept_lines(hunk.lines)}
    moved = [
        (place, indent_of(one_to_one(match.old[place])), indent_of(source.lines[number]))
        for place, number in enumerate(match.pairs)
        if number is not None and match.old[place].strip()
    ]
    moved = [one for one in moved if one[1] != one[2]]
    come = {indent_of(line[1:]) for line in hunk.lines if line[:1] == "+" and line[1:].strip()}
    asked, real = {one[1] for one in moved}, {one[2] for one in moved}
    if kept.intersection(one[0] for one in moved) and come & real and not come & asked:
        raise ToolRefusal(edit_errors.HUNK_DEPTH.format(line=match.start + 1))


def _inserted(source: Source, hunk: Hunk) -> Change:
    """Lines without any around them have a place only in an empty file, or at its end."""
    if source.lines and (not hunk.at_end or hunk.context):
        raise ToolRefusal(edit_errors.NO_PLACE)
    end = len(source.lines)
    match = Match((), hunk.new, end, end, (), shared=())
    pieces = pieces_of(source, rewrite(source, match))
    if hunk.new_unended:
        pieces = _with_end(source.text, pieces, ended=False)
    return _change(source, pieces, Placed(match, end, "simple"), ())


def _change(
    source: Source, pieces: Sequence[Piece], placed: Placed, adapted: tuple[str, ...]
) -> Change:
    text = put(source.text, pieces)
    if text == source.text:
        raise edit_errors.no_change(placed.start + 1)
    lines = begin_lines(source.text, pieces)
    return Change(text, tuple(pieces), lines, placed.strategy, (*placed.adapted, *adapted))


def _with_end(text: str, pieces: Sequence[Piece], *, ended: bool) -> list[Piece]:
    """The pieces, which leave the end of the file as it is, so that it ends with a newline or not.

    Whether the new text does cannot be seen in it: its last line may be empty.
    """
    if (not text or text.endswith("\n")) == ended:
        return list(pieces)
    size = len(text)
    last = pieces[-1] if pieces and pieces[-1].end == size else Piece(size, size, "")
    kept = [piece for piece in pieces if piece is not last]
    if ended:
        return [*kept, Piece(last.start, size, last.new + "\n")]
    if last.new:
        return [*kept, Piece(last.start, size, last.new.removesuffix("\n"))]
    return [*kept, Piece(last.start - 1, size, "")]
