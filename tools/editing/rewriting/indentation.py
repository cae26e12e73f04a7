"""Depths in a request as depths in the file: learned from the lines that both have."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...result import ToolError
from ..matching.normalization import TAB, USUAL_UNIT, indent_of, measure_indent, simplify_in_place

UNIT_FROM = 20_000
"""Lines of a file from which its unit is learned."""
FEWEST_COLUMNS = 2
"""A depth that differs by less is the same, miscounted."""


@dataclass(frozen=True)
class IndentPair:
    """The indentation of one line of the request, and of the file's line it stands for."""

    place: int
    """Of the line in the request."""
    asked: str
    real: str


@dataclass(frozen=True)
class Depths:
    """What is known of the depths of a request."""

    pairs: Sequence[IndentPair]
    file_unit: str
    asked_unit: int
    """In columns."""
    kept: bool = False
    """Whether new lines stand at the file's depths already."""

    @cached_property
    def by_width(self) -> dict[int, list[IndentPair]]:
        """The pairs by the columns of their depth in the request."""
        found = defaultdict[int, list[IndentPair]](list)
        for pair in self.pairs:
            found[measure_indent(pair.asked)].append(pair)
        return dict(found)

    @cached_property
    def is_ascii(self) -> bool:
        """Whether the file is indented by common blanks and tabs."""
        return all(pair.real.isascii() for pair in self.pairs)

    @cached_property
    def shift(self) -> int | None:
        """By how many blanks all lines are moved, where several depths show that it is so."""
        if any(TAB in pair.asked + pair.real for pair in self.pairs):
            return None
        moved = {len(pair.real) - len(pair.asked) for pair in self.pairs}
        return moved.pop() if len(moved) == 1 and len(self.by_width) > 1 else None

    def find_indent(self, asked: str, before: int, after: int) -> str:
        """The file's indentation for a new line that stands between two lines of the request.

        Raises ToolError where the request gives lines of different depths the same one.
        """
        asked = simplify_in_place(asked) if self.is_ascii else asked
        if self.kept or not self.pairs:
            return asked
        width = measure_indent(asked)
        if width in self.by_width:
            return _choose_nearest(self.by_width[width], before, after)
        if self.shift is not None:
            return " " * max(width + self.shift, 0)
        return self._derive_indent(width, before, after)

    def _derive_indent(self, width: int, before: int, after: int) -> str:
        """By the nearest depth that is known, and the file's unit."""
        _, near = min((abs(known - width), known) for known in self.by_width)
        base = _choose_nearest(self.by_width[near], before, after)
        if abs(width - near) < FEWEST_COLUMNS:
            return base
        steps, rest = divmod(width - near, self.asked_unit)
        return _shift_indent(base, steps, self.file_unit) + " " * rest


def infer_depths(
    pairs: Sequence[IndentPair], request: Iterable[str], lines: Sequence[str], kept: bool
) -> Depths:
    """What the pairs say; `request` are the lines of the request, `lines` those of the file."""
    kept = kept or all(pair.asked == pair.real for pair in pairs)
    unit = infer_unit(lines, pairs)
    return Depths(pairs, unit, _infer_asked_unit(pairs, request, unit), kept)


def infer_unit(lines: Sequence[str], pairs: Sequence[IndentPair] = ()) -> str:
    """One step of the file's indentation; a tab, or blanks."""
    near = [pair.real for pair in pairs if pair.real]
    indents = [indent_of(line) for line in lines[:UNIT_FROM] if line and not line.isspace()]
    tabs = Counter(indent[:1] == TAB for indent in near or indents if indent)
    if tabs[True] > tabs[False]:
        return TAB
    return " " * _find_usual_step(
        [len(indent) for indent in indents if TAB not in indent], USUAL_UNIT
    )


def _infer_asked_unit(pairs: Sequence[IndentPair], request: Iterable[str], unit: str) -> int:
    """How many columns of the request are one step: by two pairs, else its smallest step."""
    step = measure_indent(unit)
    ordered = sorted({(measure_indent(pair.asked), measure_indent(pair.real)) for pair in pairs})
    for (asked, real), (more_asked, more_real) in zip(ordered, ordered[1:], strict=False):
        steps = (more_real - real) // step
        if steps >= 1 and more_asked > asked and (more_asked - asked) % steps == 0:
            return (more_asked - asked) // steps
    return _find_usual_step(
        [measure_indent(indent_of(line)) for line in request if line.strip()], step
    )


def _find_usual_step(widths: Sequence[int], default: int) -> int:
    """By how much the next line is mostly indented more."""
    more = Counter(
        below - above
        for above, below in zip(widths, widths[1:], strict=False)
        if 2 <= below - above <= 8
    )
    return min(more, key=lambda step: (-more[step], step), default=default)


def _choose_nearest(known: Sequence[IndentPair], before: int, after: int) -> str:
    """What one depth of the request is in the file, near a place of the request."""
    found = {pair.real for pair in known}
    if len(found) > 1:
        above = [pair.real for pair in known if pair.place <= before][-1:]
        below = [pair.real for pair in known if pair.place >= after][:1]
        found = {*above, *below} or found
    if len(found) > 1:
        raise ToolError(
            "lines that are to be found are indented alike where those of the file are not, so the "
            "depth of the new lines is not clear; copy the file's indentation"
        )
    return found.pop()


def _shift_indent(indent: str, steps: int, unit: str) -> str:
    if steps >= 0:
        return indent + unit * steps
    for _ in range(-steps):
        size = len(unit) if indent.endswith(unit) else 1 if indent.endswith(TAB) else len(unit)
        indent = indent[: max(len(indent) - size, 0)]
    return indent
