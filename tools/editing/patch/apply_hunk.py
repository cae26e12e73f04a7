"""Applying one hunk of a patch to a file's text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...result import ToolError
from ...textedits.text_edits import TextChange, TextEdit, apply_edits, find_edit_lines
from ..matching import edit_errors
from ..matching.adaptations import describe_adaptations
from ..matching.document import TextDocument
from ..matching.edit_request import LineMatch
from ..matching.line_edits import to_text_edits
from ..matching.normalization import indent_of, simplify_in_place
from ..replace import build_edits, check_no_elisions
from ..rewriting.rewrite import rewrite_match
from .locate_hunk import HunkLocation, build_request, find_hunk, find_only_line, map_kept_lines


@dataclass(frozen=True)
class Hunk:
    """Lines to keep, remove and add, and what the patch says about their place."""

    lines: tuple[str, ...]
    """Each with its sign first: a blank keeps it, `-` removes it, `+` adds it; no `\\n`."""
    line: int | None = None
    """The first line by the header, from 1 in the old text."""
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
        """The lines that must be in the file."""
        return tuple(line[1:] for line in self.lines if line[:1] != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that replace them."""
        return tuple(line[1:] for line in self.lines if line[:1] != "-")


def apply_hunk(text: str, hunk: Hunk) -> TextChange:
    """Apply a hunk to a text; raise ToolError with what to try."""
    return apply_to_document(TextDocument(text), hunk)


def apply_to_document(source: TextDocument, hunk: Hunk) -> TextChange:
    """Do the same, for several hunks of one text."""
    if not hunk.old:
        return _insert_lines(source, hunk)
    ends = hunk.at_end or hunk.old_unended or hunk.new_unended
    check_no_elisions(source, build_request(hunk.lines))
    placed = find_hunk(source, hunk.lines, hunk.line, ends, hunk.context)
    place = placed.place
    matches = [place] if isinstance(place, LineMatch) else []
    for match in matches:
        _check_depth(source, match, hunk)
    parts = build_edits(source, place)
    for match in matches:
        _check_single_reading(source, match, parts)
    if hunk.old_unended or hunk.new_unended:
        end = place.end if isinstance(place, LineMatch) else source.text.count("\n", 0, place.end)
        if end != len(source.lines):
            raise ToolError(edit_errors.NOT_AT_END.format(line=end))
        if hunk.new or placed.start:  # some line is left to be the last
            parts = _with_end(source.text, parts, ended=not hunk.new_unended)
    return _build_change(source, parts, placed, describe_adaptations(source, matches))


def _check_depth(source: TextDocument, match: LineMatch, hunk: Hunk) -> None:
    """Raise ToolError for new lines at the file's depth among kept lines at another."""
    # the kept lines are those of both texts, so nothing says which depth is meant for new ones
    kept_places = {old for old, _ in map_kept_lines(hunk.lines)}
    moved = [indent for indent in _iter_indents(source, match) if indent[1] != indent[2]]
    added_indents = {
        indent_of(line[1:]) for line in hunk.lines if line[:1] == "+" and line[1:].strip()
    }
    asked, real = {indent[1] for indent in moved}, {indent[2] for indent in moved}
    if (
        kept_places.intersection(indent[0] for indent in moved)
        and added_indents & real
        and not added_indents & asked
    ):
        raise ToolError(edit_errors.HUNK_DEPTH.format(line=match.start + 1))


def _check_single_reading(
    source: TextDocument, match: LineMatch, edits: Sequence[TextEdit]
) -> None:
    """Raise ToolError for a hunk at another depth if its signs and its texts disagree."""
    # by its signs it moves lines that, by its texts, may already be at the file's depth
    if all(asked == real for _, asked, real in _iter_indents(source, match)):
        return
    try:
        compared = build_edits(source, replace(match, shared=None))
    except ToolError:  # the texts alone say nothing
        return
    if apply_edits(source.text, compared) != apply_edits(source.text, edits):
        raise ToolError(edit_errors.HUNK_DEPTH.format(line=match.start + 1))


def _iter_indents(source: TextDocument, match: LineMatch) -> Iterator[tuple[int, str, str]]:
    """Yield each old line that is not empty, its indentation, and that of the file's line."""
    for place, number in enumerate(match.pairs):
        if number is not None and match.old[place].strip():
            asked = indent_of(simplify_in_place(match.old[place]))
            yield place, asked, indent_of(source.lines[number])


def _insert_lines(source: TextDocument, hunk: Hunk) -> TextChange:
    """Insert lines without context: into an empty file, at its end, or below its one `@@` line."""
    end = len(source.lines)
    if source.lines and hunk.context and not hunk.at_end:
        end = find_only_line(source, hunk.context) + 1
    elif source.lines and (not hunk.at_end or hunk.context):
        raise ToolError(edit_errors.NO_PLACE)
    match = LineMatch((), hunk.new, end, end, (), shared=())
    parts = to_text_edits(source, rewrite_match(source, match))
    if hunk.new_unended:
        parts = _with_end(source.text, parts, ended=False)
    return _build_change(source, parts, HunkLocation(match, end, "simple"), ())


def _build_change(
    source: TextDocument, pieces: Sequence[TextEdit], placed: HunkLocation, adapted: tuple[str, ...]
) -> TextChange:
    text = apply_edits(source.text, pieces)
    if text == source.text:
        raise edit_errors.make_unchanged_error(placed.start + 1)
    lines = find_edit_lines(source.text, pieces)
    return TextChange(text, tuple(pieces), lines, placed.strategy, (*placed.adapted, *adapted))


def _with_end(text: str, pieces: Sequence[TextEdit], *, ended: bool) -> list[TextEdit]:
    """Change the edits so that the file ends with a newline, or without."""
    # the new text does not show it: its last line may be empty
    if (not text or text.endswith("\n")) == ended:
        return list(pieces)
    size = len(text)
    last = pieces[-1] if pieces and pieces[-1].end == size else TextEdit(size, size, "")
    other_pieces = [piece for piece in pieces if piece is not last]
    if ended:
        return [*other_pieces, TextEdit(last.start, size, last.new + "\n")]
    if last.new:
        return [*other_pieces, TextEdit(last.start, size, last.new.removesuffix("\n"))]
    return [*other_pieces, TextEdit(last.start - 1, size, "")]
