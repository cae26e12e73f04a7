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
from ..rewriting.rewrite import rewrite
from .locate_hunk import Placed, place_hunk


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
    placed = place_hunk(source, hunk.lines, hunk.line, ends, hunk.context)
    match = _match(placed)
    pieces = pieces_of(source, rewrite(source, match))
    if hunk.old_unended or hunk.new_unended:
        if match.end != len(source.lines):
            raise ToolRefusal(edit_errors.NOT_AT_END.format(line=match.end))
        if hunk.new or match.start:  # some line is left to be the last
            pieces = _with_end(source.text, pieces, ended=not hunk.new_unended)
    return _change(source, pieces, placed, described(source, [match]))


def _inserted(source: Source, hunk: Hunk) -> Change:
    """Lines without any around them have a place only in an empty file, or at its end."""
    if source.lines and (not hunk.at_end or hunk.context):
        raise ToolRefusal(edit_errors.NO_PLACE)
    end = len(source.lines)
    match = Match((), hunk.new, end, end, (), shared=())
    pieces = pieces_of(source, rewrite(source, match))
    if hunk.new_unended:
        pieces = _with_end(source.text, pieces, ended=False)
    return _change(source, pieces, Placed(hunk.lines, end, "simple"), ())


def _match(placed: Placed) -> Match:
    old = [line[1:] for line in placed.lines if line[:1] != "+"]
    new = [line[1:] for line in placed.lines if line[:1] != "-"]
    start, shared, at_old, at_new = placed.start, list[tuple[int, int]](), 0, 0
    for line in placed.lines:
        if line[:1] not in ("+", "-"):
            shared.append((at_old, at_new))
        at_old, at_new = at_old + (line[:1] != "+"), at_new + (line[:1] != "-")
    end = start + len(old)
    return Match(old, new, start, end, range(start, end), shared=shared)


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
