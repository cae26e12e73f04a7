"""Text edits: ranges of the old text and their replacements."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextEdit:
    """Characters `start` to `end` of the old text become `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class TextChange:
    """A text after a change, and how its place was found."""

    text: str
    edits: tuple[TextEdit, ...]
    """In ascending order without overlap; of the old text they contain changed lines only."""
    lines: tuple[int, ...]
    """The line, from 1 in the new text, at which each change begins."""
    strategy: str
    """Which strategy found the place: `simple`, `line_trimmed`…"""
    adapted: tuple[str, ...] = ()
    """Description of what was adapted; empty if the request was exact."""


def apply_edits(text: str, pieces: Sequence[TextEdit]) -> str:
    """Apply every edit to the text."""
    parts, done = list[str](), 0
    for piece in pieces:
        parts += [text[done : piece.start], piece.new]
        done = piece.end
    return "".join([*parts, text[done:]])


def trim_overlaps(pieces: Sequence[TextEdit]) -> list[TextEdit]:
    """Return the edits, each starting after the one before: neighbours may share a line break."""
    trimmed, done = list[TextEdit](), 0
    for piece in pieces:
        trimmed.append(TextEdit(max(piece.start, done), piece.end, piece.new))
        done = piece.end
    return trimmed


def find_edit_lines(text: str, pieces: Sequence[TextEdit]) -> tuple[int, ...]:
    """Return the line, from 1 in the new text, at which each edit begins."""
    lines, line, done = list[int](), 1, 0
    for piece in pieces:
        line += text.count("\n", done, piece.start)
        lines.append(line)
        line += piece.new.count("\n")
        done = piece.end
    return tuple(lines)
