"""A change as the pieces of the old text that become others."""

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
    """A text after a change, and how the place was found."""

    text: str
    edits: tuple[TextEdit, ...]
    """Ascending and apart; of the old text they hold changed lines only."""
    lines: tuple[int, ...]
    """The line, from 1 in the new text, at which each change begins."""
    strategy: str
    """Which strategy found the place: `simple`, `line_trimmed`…"""
    adapted: tuple[str, ...] = ()
    """What was adapted, in words; empty when the request was exact."""


def apply_edits(text: str, pieces: Sequence[TextEdit]) -> str:
    """The text with every piece put in."""
    parts, done = list[str](), 0
    for piece in pieces:
        parts += [text[done : piece.start], piece.new]
        done = piece.end
    return "".join([*parts, text[done:]])


def trim_overlaps(pieces: Sequence[TextEdit]) -> list[TextEdit]:
    """The pieces, each from where the one before has ended: neighbours may share a line break."""
    found, done = list[TextEdit](), 0
    for piece in pieces:
        found.append(TextEdit(max(piece.start, done), piece.end, piece.new))
        done = piece.end
    return found


def find_edit_lines(text: str, pieces: Sequence[TextEdit]) -> tuple[int, ...]:
    """The line, from 1 in the new text, at which each piece begins."""
    lines, line, done = list[int](), 1, 0
    for piece in pieces:
        line += text.count("\n", done, piece.start)
        lines.append(line)
        line += piece.new.count("\n")
        done = piece.end
    return tuple(lines)
