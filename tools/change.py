"""Replace one text by another in a file's text; text in, text out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .locate import find, line_of, nearest
from .numbered import numbered
from .result import ToolRefusal
from .text import lines_of

MOST_SHOWN = 20
"""Lines, and line numbers, that a refusal shows."""

_EDGES = re.compile(r"^[ \t]+|[ \t]+$")
_ODD_BLANK = re.compile("[\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u3000\ufeff]")


@dataclass(frozen=True)
class Change:
    """A text after a change."""

    text: str
    lines: Sequence[int]
    """Where it changed: the line at which each new piece begins."""


def change(text: str, old: str, new: str, *, everywhere: bool = False) -> Change:
    """The text with `new` for `old`, which must be there once, or more often when `everywhere`.

    Lines end with `\\n` in all three. Raises ToolRefusal with what helps to do better.
    """
    if old == new:
        raise ToolRefusal("`old_string` and `new_string` are the same; nothing was changed")
    places = find(text, old)
    if not places:
        raise ToolRefusal(_not_found(text, old, new))
    if len(places) > 1 and not everywhere:
        raise ToolRefusal(
            f"`old_string` is in the file {len(places)} times, at lines "
            f"{listed([line_of(text, place) for place in places])}; "
            "add the lines around the one you mean, or set `replace_all`"
        )
    return _replaced(text, _apart(places, len(old)), old, new)


def listed(lines: Sequence[int]) -> str:
    """Line numbers in words; of many the first."""
    more = len(lines) - MOST_SHOWN
    return ", ".join(map(str, lines[:MOST_SHOWN])) + (f" and {more} more" if more > 0 else "")


def _apart(places: Sequence[int], size: int) -> list[int]:
    """The places from left to right that do not overlap the one before."""
    apart = list[int]()
    for place in places:
        if not apart or place >= apart[-1] + size:
            apart.append(place)
    return apart


def _replaced(text: str, places: Sequence[int], old: str, new: str) -> Change:
    pieces, lines, done, line = list[str](), list[int](), 0, 1
    for place in places:
        kept = text[done:place]
        line += kept.count("\n")
        lines.append(line)
        line += new.count("\n")
        pieces += [kept, new]
        done = place + len(old)
    return Change("".join([*pieces, text[done:]]), lines)


def _not_found(text: str, old: str, new: str) -> str:
    found = find(text, new) if new.strip() else []
    if found:
        return (
            "`old_string` is not in the file, but `new_string` is, at line "
            f"{line_of(text, found[0])}: the change may have been made already"
        )
    lines, wanted = lines_of(text), lines_of(old)
    start = nearest(lines, wanted)
    if start is None:
        return "`old_string` is not in the file, nor anything like it; read the file again"
    close = lines[start : start + min(len(wanted), MOST_SHOWN)]
    blanks_only = [line.split() for line in close] == [line.split() for line in wanted]
    return (
        f"`old_string` is not in the file{', only with other blanks' if blanks_only else ''}; "
        "the closest lines (`·` is a blank at an end, `⇥` a tab):\n"
        f"{numbered([_visible(line) for line in close], start + 1)}"
    )


def _visible(line: str) -> str:
    shown = _EDGES.sub(lambda blanks: blanks[0].replace(" ", "·"), line).replace("\t", "⇥")
    return _ODD_BLANK.sub(lambda blank: ascii(blank[0])[1:-1], shown)
