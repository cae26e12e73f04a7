"""Indentation of new lines, learned from the lines that request and file share."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...result import ToolError
from ..matching.normalization import TAB, USUAL_UNIT, indent_of, measure_indent, simplify_in_place

# lines of a file from which its unit is learned
UNIT_FROM = 20_000
# a depth that differs by less is the same, miscounted
MIN_COLUMNS = 2
# columns of a step; other steps are mostly text that is aligned, such as comments
UNITS = (2, 4, 8)
UNPROVEN = (
    "new lines are indented by more than one step of the old lines at once, and the file's step is "
    "another; give the lines with the file's indentation in both texts"
)
# steps of a file that show its unit where the request has another one
MIN_STEPS = 8


@dataclass(frozen=True)
class IndentPair:
    """The indentation of one line of the request, and of the file's line it stands for."""

    place: int
    """Of the line in the request."""
    asked: str
    real: str


@dataclass(frozen=True)
class Depths:
    """What is known about the indentation of a request."""

    pairs: Sequence[IndentPair]
    file_unit: str
    asked_unit: int
    """In columns."""
    kept: bool = False
    """Whether new lines already have the file's depths."""
    is_unit_known: bool = True
    """Whether a step of the request is known to be a step of the file."""
    new_widths: frozenset[int] = frozenset()
    """All depths of the new lines, in columns."""

    @cached_property
    def by_width(self) -> dict[int, list[IndentPair]]:
        """The pairs by the columns of their depth in the request."""
        pairs_by_width = defaultdict[int, list[IndentPair]](list)
        for pair in self.pairs:
            pairs_by_width[measure_indent(pair.asked)].append(pair)
        return dict(pairs_by_width)

    @cached_property
    def is_ascii(self) -> bool:
        """Whether the file is indented by common blanks and tabs."""
        return all(pair.real.isascii() for pair in self.pairs)

    @cached_property
    def shift(self) -> int | None:
        """By how many blanks all lines are shifted; None unless several depths show it."""
        if any(TAB in pair.asked + pair.real for pair in self.pairs):
            return None
        moved = {len(pair.real) - len(pair.asked) for pair in self.pairs}
        return moved.pop() if len(moved) == 1 and len(self.by_width) > 1 else None

    def find_indent(self, asked: str, before: int, after: int) -> str:
        """Find the file's indentation for a new line between two lines of the request.

        Raises ToolError if it is ambiguous.
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
        """Derive an indentation from the nearest known depth and the file's unit."""
        _, near = min((abs(known_width - width), known_width) for known_width in self.by_width)
        base = _choose_nearest(self.by_width[near], before, after)
        if abs(width - near) < MIN_COLUMNS:
            return base
        if not self.is_unit_known:
            raise ToolError(
                f"new lines are indented in steps of {self.asked_unit}, and the file's own step is "
                "not clear; give the lines with the file's indentation in both texts"
            )
        steps, rest = divmod(width - near, self.asked_unit)
        if measure_indent(self.file_unit) != self.asked_unit and not self._is_reached(near, width):
            raise ToolError(UNPROVEN)
        return _shift_indent(base, steps, self.file_unit) + " " * rest

    def _is_reached(self, near: int, width: int) -> bool:
        """Return whether new lines lead to a depth step by step: a jump may be a file's step."""
        step = self.asked_unit if width > near else -self.asked_unit
        if abs(width - near) < abs(step):
            return True
        return {near, *range(width - step, near, -step)} <= self.new_widths


def infer_depths(
    pairs: Sequence[IndentPair],
    old: Sequence[str],
    new: Sequence[str],
    lines: Sequence[str],
    is_kept: bool,
) -> Depths:
    """Learn from the pairs; `old` and `new` are the request's lines, `lines` those of the file."""
    is_kept = is_kept or all(pair.asked == pair.real for pair in pairs)
    unit, steps = infer_unit(lines, pairs), _count_steps(_measure_lines(lines))
    shown_unit = _find_shown_unit(pairs, unit)
    widths = [measure_indent(indent_of(line)) for line in (*old, *new) if line.strip()]
    new_widths = frozenset(measure_indent(indent_of(line)) for line in new if line.strip())
    used = _count_steps(widths)
    asked = shown_unit or _find_usual_step(used, measure_indent(unit))
    is_known = (
        shown_unit is not None or asked == measure_indent(unit) or _is_clear(steps, unit, asked)
    )
    return Depths(pairs, unit, asked, is_kept, is_known, new_widths)


def infer_unit(lines: Sequence[str], pairs: Sequence[IndentPair] = ()) -> str:
    """Infer one step of the file's indentation: a tab, or blanks."""
    near = [pair.real for pair in pairs if pair.real]
    indents = [indent_of(line) for line in lines[:UNIT_FROM] if line and not line.isspace()]
    tabs = Counter(indent[:1] == TAB for indent in near or indents if indent)
    if tabs[True] > tabs[False]:
        return TAB
    return " " * _find_usual_step(_count_steps(_measure_lines(lines)), USUAL_UNIT)


def _find_shown_unit(pairs: Sequence[IndentPair], unit: str) -> int | None:
    """Find how many columns of the request are one step of the file, if the pairs show it."""
    step = measure_indent(unit)
    ordered = sorted({(measure_indent(pair.asked), measure_indent(pair.real)) for pair in pairs})
    for (asked, real), (more_asked, more_real) in zip(ordered, ordered[1:], strict=False):
        steps = (more_real - real) // step
        if steps >= 1 and more_asked > asked and (more_asked - asked) % steps == 0:
            return (more_asked - asked) // steps
    return None


def _is_clear(steps: Counter[int], unit: str, asked: int) -> bool:
    """Return whether a file's unit is frequent enough to override another one in the request."""
    if unit == TAB:
        return True
    often = steps[len(unit)]
    return len(unit) in UNITS and often >= MIN_STEPS and often > 2 * steps[asked]


def _measure_lines(lines: Sequence[str]) -> list[int]:
    """Measure the lines that are indented by blanks alone."""
    indents = [indent_of(line) for line in lines[:UNIT_FROM] if line and not line.isspace()]
    return [len(indent) for indent in indents if TAB not in indent]


def _count_steps(widths: Sequence[int]) -> Counter[int]:
    """Count by how much the next line is indented more."""
    return Counter(
        below - above
        for above, below in zip(widths, widths[1:], strict=False)
        if 2 <= below - above <= 8
    )


def _find_usual_step(steps: Counter[int], default: int) -> int:
    """Find the most frequent step; of equals a usual unit, then the smallest."""
    return min(steps, key=lambda step: (-steps[step], step not in UNITS, step), default=default)


def _choose_nearest(pairs: Sequence[IndentPair], before: int, after: int) -> str:
    """Choose what one depth of the request is in the file, near a place."""
    indents = {pair.real for pair in pairs}
    if len(indents) > 1:
        above = [pair.real for pair in pairs if pair.place <= before][-1:]
        below = [pair.real for pair in pairs if pair.place >= after][:1]
        indents = {*above, *below} or indents
    if len(indents) > 1:
        raise ToolError(
            "the old lines are indented alike where those of the file are not, so the "
            "depth of the new lines is not clear; copy the file's indentation"
        )
    return indents.pop()


def _shift_indent(indent: str, steps: int, unit: str) -> str:
    if steps >= 0:
        return indent + unit * steps
    for _ in range(-steps):
        size = len(unit) if indent.endswith(unit) else 1 if indent.endswith(TAB) else len(unit)
        indent = indent[: max(len(indent) - size, 0)]
    return indent
