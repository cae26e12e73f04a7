"""Edits of whole lines, and their text edits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...textedits.text_edits import TextEdit
from ...textedits.unified_diff import count_equal
from .document import TextDocument


@dataclass(frozen=True)
class LineEdit:
    """Lines `start` to `end` of a file, from 0, become others."""

    start: int
    end: int
    lines: Sequence[str]


def to_text_edits(source: TextDocument, edits: Iterable[LineEdit]) -> list[TextEdit]:
    """Convert edits, ascending and apart, and leave out lines that do not change."""
    tight = [_trim_edit(source.lines, edit) for edit in _join_edits(edits)]
    return [_to_text_edit(source, edit) for edit in tight if edit.start < edit.end or edit.lines]


def _join_edits(edits: Iterable[LineEdit]) -> list[LineEdit]:
    """Join edits that touch."""
    joined = list[LineEdit]()
    for edit in edits:
        if joined and joined[-1].end == edit.start:
            last = joined.pop()
            edit = LineEdit(last.start, edit.end, [*last.lines, *edit.lines])
        joined.append(edit)
    return joined


def _trim_edit(lines: Sequence[str], edit: LineEdit) -> LineEdit:
    head = count_equal(lines[edit.start : edit.end], edit.lines)
    start, rest = edit.start + head, edit.lines[head:]
    tail = count_equal(lines[start : edit.end][::-1], rest[::-1])
    return LineEdit(start, edit.end - tail, rest[: len(rest) - tail])


def _to_text_edit(source: TextDocument, edit: LineEdit) -> TextEdit:
    # no newline is added or lost at the end of the file
    start, end = source.line_starts[edit.start], source.line_starts[edit.end]
    if edit.start < edit.end and edit.lines:
        return TextEdit(start, end - 1, "\n".join(edit.lines))
    new = "".join(f"{line}\n" for line in edit.lines)
    if end <= len(source.text):
        return TextEdit(start, end, new)
    if edit.lines:
        return TextEdit(start - 1, start - 1, "\n" + new[:-1])
    return TextEdit(max(start - 1, 0), end - 1, "")
