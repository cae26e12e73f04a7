"""Merging the change of one line into the line that the file has."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from ..matching.normalization import normalize_line

# of a line that is merged token by token
MAX_TOKENS = 2_000

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


def merge_line(asked: str, new: str, real: str) -> str | None:
    """Apply the change from `asked` to `new` to `real`, which is spelled differently.

    Returns None if a change overlaps a difference in spelling.
    """
    if asked == real:
        return new
    base, other, file = (_TOKEN.findall(line) for line in (asked, new, real))
    if max(len(base), len(other), len(file)) > MAX_TOKENS:
        return None
    bounds = _map_bounds(_normalize_tokens(base), _normalize_tokens(file))
    changes = SequenceMatcher(None, base, other, autojunk=False)
    parts = list[str]()
    for kind, start, end, new_start, new_end in changes.get_opcodes():
        real_start, real_end = bounds.get(start), bounds.get(end)
        if real_start is None or real_end is None:
            return None
        tokens = file[real_start:real_end] if kind == "equal" else other[new_start:new_end]
        parts += tokens
    return "".join(parts)


def _normalize_tokens(parts: Sequence[str]) -> list[str]:
    return [normalize_line(part) or (" " if part.isspace() else "") for part in parts]


def _map_bounds(base: Sequence[str], file: Sequence[str]) -> dict[int, int]:
    """Map the places between tokens of one line to those of the other."""
    bounds = dict[int, int]()
    for block in SequenceMatcher(None, base, file, autojunk=False).get_matching_blocks():
        for step in range(block.size + 1 if block.size else 0):
            bounds[block.a + step] = block.b + step
    return {**bounds, 0: 0, len(base): len(file)}
