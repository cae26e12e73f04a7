"""Whole lines of a file replaced by others, as pieces of its text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ...textedits.text_edits import Piece
from .document import Source


@dataclass(frozen=True)
class LineEdit:
    """Lines `start` to `end` of a file, from 0, become others."""

    start: int
    end: int
    lines: Sequence[str]


def pieces_of(source: Source, edits: Iterable[LineEdit]) -> list[Piece]:
    """The edits, which are ascending and apart, without the lines that stay as they are."""
    tight = [_tight(source.lines, edit) for edit in _joined(edits)]
    return [_piece(source, edit) for edit in tight if edit.start < edit.end or edit.lines]


def _joined(edits: Iterable[LineEdit]) -> list[LineEdit]:
    """Edits that touch as one."""
    joined = list[LineEdit]()
    for edit in edits:
        if joined and joined[-1].end == edit.start:
            last = joined.pop()
            edit = LineEdit(last.start, edit.end, [*last.lines, *edit.lines])
        joined.append(edit)
    return joined


def _tight(lines: Sequence[str], edit: LineEdit) -> LineEdit:
    head = _same(lines[edit.start : edit.end], edit.lines)
    start, rest = edit.start + head, edit.lines[head:]
    tail = _same(lines[start : edit.end][::-1], rest[::-1])
    return LineEdit(start, edit.end - tail, rest[: len(rest) - tail])


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _piece(source: Source, edit: LineEdit) -> Piece:
    """No newline is added or lost at the end of the file."""
    start, end = source.starts[edit.start], source.starts[edit.end]
    if edit.start < edit.end and edit.lines:
        return Piece(start, end - 1, "\n".join(edit.lines))
    new = "".join(f"{line}\n" for line in edit.lines)
    if end <= len(source.text):
        return Piece(start, end, new)
    if edit.lines:
        return Piece(start - 1, start - 1, "\n" + new[:-1])
    return Piece(max(start - 1, 0), end - 1, "")
