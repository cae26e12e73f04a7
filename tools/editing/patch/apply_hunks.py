"""Applying all hunks of a patch to one file's text, or none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...result import ToolError
from ...textedits.compose import compose_edits
from ...textedits.text_edits import TextChange, TextEdit, apply_edits
from ..matching.document import TextDocument
from .apply_hunk import Hunk, apply_hunk, apply_to_document


@dataclass(frozen=True)
class PatchedText:
    """A text after all hunks."""

    edits: tuple[TextEdit, ...]
    """Of the old text."""
    changes: tuple[TextChange, ...]
    """One for each hunk, without the text; the lines are right only where no hunk above changed the
    size."""


def apply_hunks(text: str, hunks: Sequence[Hunk], *, exact: bool = False) -> PatchedText:
    """Apply every hunk; with `exact` each must match exactly. Raise ToolError, naming the hunk."""
    # each to the old text first, so that none lands in lines that an earlier one has just written
    source, pieces, changes = TextDocument(text), tuple[TextEdit, ...](), list[TextChange]()
    for number, hunk in enumerate(hunks, 1):
        try:
            done, pieces = _apply_next(source, pieces, hunk)
            if exact and done.adapted:
                raise ToolError(f"it does not match exactly: {'; '.join(done.adapted)}")
        except ToolError as refusal:
            which = f"hunk {number} of {len(hunks)}: " if len(hunks) > 1 else ""
            reason = re.sub("`(old|new)_string`", "the hunk", str(refusal))
            raise ToolError(f"{which}{reason}") from refusal
        changes.append(replace(done, text=""))  # of many hunks the texts would fill the memory
    return PatchedText(pieces, tuple(changes))


def _apply_next(
    source: TextDocument, pieces: tuple[TextEdit, ...], hunk: Hunk
) -> tuple[TextChange, tuple[TextEdit, ...]]:
    try:
        done = apply_to_document(source, hunk)
    except ToolError as refusal:
        if not pieces:
            raise
        return _apply_to_result(source.text, pieces, hunk, refusal)
    return done, _merge_edits(pieces, done.edits)


def _apply_to_result(
    text: str, pieces: tuple[TextEdit, ...], hunk: Hunk, refusal: ToolError
) -> tuple[TextChange, tuple[TextEdit, ...]]:
    """Apply a hunk to the result of those before it; raise `refusal` if that is not exact."""
    try:
        done = apply_hunk(apply_edits(text, pieces), hunk)
    except ToolError:
        raise refusal from None
    if done.adapted:
        raise refusal
    return done, compose_edits(pieces, done.edits)


def _merge_edits(pieces: Sequence[TextEdit], more: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
    """Merge edits in order; at one place, those of the earlier hunk come first."""
    joined = sorted([*pieces, *more], key=lambda piece: (piece.start, piece.end))
    for earlier, later in zip(joined, joined[1:], strict=False):
        if later.start < earlier.end:
            raise ToolError("it changes lines that an earlier hunk changes; make them one hunk")
    return tuple(joined)
