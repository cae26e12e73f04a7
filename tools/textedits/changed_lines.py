"""Pieces of a text as runs of changed lines, so that a diff looks at nothing else."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .text_edits import TextEdit


class ChangedBlock(NamedTuple):
    """Lines `start` to `end` of the old text, and what stands for them in the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


def find_blocks(text: str, pieces: "Sequence[TextEdit]") -> list[ChangedBlock]:
    """The runs of whole lines, from 0, that hold the pieces; linear in the text."""
    found, line, done, shift = list[ChangedBlock](), 0, 0, 0
    for piece in pieces:
        line += text.count("\n", done, piece.start)
        gone, come = text.count("\n", piece.start, piece.end), piece.new.count("\n")
        block = ChangedBlock(line, line + gone + 1, line + shift, line + shift + come + 1)
        line, done, shift = line + gone, piece.end, shift + come - gone
        if found and found[-1].end >= block.start:
            block = ChangedBlock(found[-1].start, block.end, found[-1].new_start, block.new_end)
            found.pop()
        found.append(block)
    return found
