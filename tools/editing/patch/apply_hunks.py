"""Apply all hunks of a patch to one file's text, or none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...result import ToolRefusal
from ...textedits.compose import compose
from ...textedits.text_edits import Change, Piece, put
from ..matching.document import Source
from .apply_hunk import Hunk, change_hunk, change_source


@dataclass(frozen=True)
class Hunked:
    """A text after all hunks."""

    pieces: tuple[Piece, ...]
    """Of the old text."""
    changes: tuple[Change, ...]
    """One for each hunk, without the text; the lines are right only where no hunk above changed the
    size."""


def change_hunks(text: str, hunks: Sequence[Hunk], *, exact: bool = False) -> Hunked:
    """Apply every hunk to the old text; one that is not there, to what those before it made.

    So no hunk is put by mistake where an earlier one has just written. With `exact` each must be
    there exactly. Raises ToolRefusal, naming the hunk, when one does not fit.
    """
    source, pieces, changes = Source(text), tuple[Piece, ...](), list[Change]()
    for number, hunk in enumerate(hunks, 1):
        try:
            done, pieces = _placed(source, pieces, hunk)
            if exact and done.adapted:
                raise ToolRefusal(f"it is not there exactly: {'; '.join(done.adapted)}")
        except ToolRefusal as refusal:
            which = f"hunk {number} of {len(hunks)}: " if len(hunks) > 1 else ""
            said = re.sub("`(old|new)_string`", "the hunk", str(refusal))
            raise ToolRefusal(f"{which}{said}") from refusal
        changes.append(replace(done, text=""))  # of many hunks the texts would fill the memory
    return Hunked(pieces, tuple(changes))


def _placed(
    source: Source, pieces: tuple[Piece, ...], hunk: Hunk
) -> tuple[Change, tuple[Piece, ...]]:
    try:
        done = change_source(source, hunk)
    except ToolRefusal as refusal:
        if not pieces:
            raise
        return _placed_after(source.text, pieces, hunk, refusal)
    return done, _joined(pieces, done.pieces)


def _placed_after(
    text: str, pieces: tuple[Piece, ...], hunk: Hunk, refusal: ToolRefusal
) -> tuple[Change, tuple[Piece, ...]]:
    """The hunk shows lines as an earlier one left them; else why it is not in the old text."""
    try:
        done = change_hunk(put(text, pieces), hunk)
    except ToolRefusal:
        raise refusal from None
    if done.adapted:
        raise refusal
    return done, compose(pieces, done.pieces)


def _joined(pieces: Sequence[Piece], more: Sequence[Piece]) -> tuple[Piece, ...]:
    """Both in their order; of two at one place, that of the earlier hunk comes first."""
    joined = sorted([*pieces, *more], key=lambda piece: (piece.start, piece.end))
    for one, other in zip(joined, joined[1:], strict=False):
        if other.start < one.end:
            raise ToolRefusal("it changes lines that an earlier hunk changes; make them one hunk")
    return tuple(joined)
