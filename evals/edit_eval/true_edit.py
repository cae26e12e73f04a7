"""A true edit of a real source: what is meant, before anybody garbles the request for it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from sources import Source

WORDS = (
    *("ledger", "harbor", "pigeon", "walnut", "copper", "meadow", "lantern", "velvet", "orchid"),
    *("saddle", "timber", "falcon", "quartz", "ribbon", "thistle", "anchor", "beacon", "cobalt"),
)
BLOCK = range(2, 14)
"""Lines of a block that is edited."""
TRIES = 60
STATEMENT_END = {"header": ";", "script": ";", "perl": ";"}


@dataclass(frozen=True)
class Line:
    """A line of the new block."""

    text: str
    kept: int | None = None
    """Which line of the old block it is; None: the edit writes it."""


@dataclass(frozen=True)
class Edit:
    """Lines `start` to `start + len(old)` of a file become the new ones."""

    path: str
    style: str
    lines: tuple[str, ...]
    """Of the whole file, before."""
    start: int
    """From 0."""
    old: tuple[str, ...]
    new: tuple[Line, ...]

    @property
    def end(self) -> int:
        """The line after the block."""
        return self.start + len(self.old)

    @property
    def after(self) -> tuple[str, ...]:
        """The whole file's lines as they are meant to be."""
        written = tuple(line.text for line in self.new)
        return self.lines[: self.start] + written + self.lines[self.end :]

    @property
    def kept(self) -> tuple[int, ...]:
        """Old lines that stay."""
        return tuple(line.kept for line in self.new if line.kept is not None)

    @property
    def untouched(self) -> tuple[int, ...]:
        """Inner old lines that stay with both their neighbours, nothing put between."""
        order = [line.kept for line in self.new]
        runs = zip(order, order[1:], order[2:], strict=False)
        return tuple(b for a, b, c in runs if b is not None and (a, c) == (b - 1, b + 1))

    @property
    def replaced(self) -> tuple[int, ...]:
        """Old lines for which exactly one new one stands."""
        return tuple(index for index, put in self._gaps() if put == 1)

    @property
    def first_change(self) -> int:
        """The first line, from 0 in the file, that changes or before which one is put."""
        same = 0
        while same < len(self.new) and self.new[same].kept == same:
            same += 1
        return self.start + same

    @property
    def text(self) -> str:
        """The file before, with LF."""
        return joined(self.lines)

    def mapped(self, change: Callable[[str], str]) -> "Edit":
        """The same edit of a file whose lines are all written otherwise."""
        return replace(
            self,
            lines=tuple(map(change, self.lines)),
            old=tuple(map(change, self.old)),
            new=tuple(Line(change(line.text), line.kept) for line in self.new),
        )

    def with_line(self, index: int, text: str) -> "Edit":
        """The same edit of a file where one kept line of the block is another."""
        at = self.start + index
        return replace(
            self,
            lines=(*self.lines[:at], text, *self.lines[at + 1 :]),
            old=(*self.old[:index], text, *self.old[index + 1 :]),
            new=tuple(Line(text, index) if line.kept == index else line for line in self.new),
        )

    def with_others(self, at: int, lines: Sequence[str]) -> "Edit":
        """The same edit of a file that has more lines at a place outside of the block."""
        assert at <= self.start or at >= self.end
        return replace(
            self,
            lines=(*self.lines[:at], *lines, *self.lines[at:]),
            start=self.start + (len(lines) if at <= self.start else 0),
        )

    def _gaps(self) -> list[tuple[int, int]]:
        """Single old lines that go, and how many new ones stand for each."""
        found, last, put = list[tuple[int, int]](), -1, 0
        for line in self.new:
            if line.kept is None:
                put += 1
                continue
            if line.kept - last == 2:
                found.append((last + 1, put))
            last, put = line.kept, 0
        return found


def joined(lines: Sequence[str]) -> str:
    """Lines as a text, each with its LF."""
    return "".join(f"{line}\n" for line in lines)


def indent_of(line: str) -> str:
    """The blanks at its begin."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def unit_of(lines: Sequence[str]) -> str:
    """One step of depth: what most lines have more than the line above."""
    steps = dict[str, int]()
    for above, line in zip(lines, lines[1:], strict=False):
        a, b = indent_of(above), indent_of(line)
        if line.strip() and above.strip() and b.startswith(a) and b != a:
            steps[b[len(a) :]] = steps.get(b[len(a) :], 0) + 1
    likely = {step: count for step, count in steps.items() if step in ("\t", "  ", " " * 4)}
    return max(likely, key=likely.__getitem__) if likely else "    "


def words_in(line: str) -> list[str]:
    """Its names and words of four letters or more."""
    return re.findall(r"[A-Za-z_]{4,}", line)


def invented(dice: Random, style: str) -> str:
    """A statement that stands nowhere else."""
    first, second, third = dice.sample(WORDS, 3)
    return f"{first}_{second}({third}, {dice.randint(100, 999)}){STATEMENT_END.get(style, '')}"


def reworded(line: str, dice: Random) -> str:
    """The line with one of its words replaced by another."""
    words = words_in(line)
    if not words:
        return f"{indent_of(line)}{line.strip()} {dice.choice(WORDS)}".rstrip()
    word = dice.choice(words)
    at = dice.choice([match.start() for match in re.finditer(re.escape(word), line)])
    other = f"{dice.choice(WORDS)}_{dice.randint(10, 99)}"
    return line[:at] + other + line[at + len(word) :]


def renumbered(line: str, dice: Random) -> str:
    """The line with one of its numbers a little greater; as it is when it has none."""
    numbers = list(re.finditer(r"\d+", line))
    if not numbers:
        return line
    number = dice.choice(numbers)
    other = str(int(number[0]) + dice.randint(1, 9))
    return line[: number.start()] + other + line[number.end() :]


def make(source: Source, dice: Random, path: str, sizes: range = BLOCK) -> Edit | None:
    """An edit of one block, with one or two changes inside; None when the source has no fit one."""
    for _ in range(TRIES):
        size = dice.choice(sizes)
        if size >= len(source.lines):
            continue
        start = dice.randrange(len(source.lines) - size)
        old = source.lines[start : start + size]
        if _is_fit(source, start, old) and (new := _changed(old, source, dice)):
            return Edit(path, source.style, source.lines, start, old, new)
    return None


def is_once(lines: Sequence[str], block: Sequence[str]) -> bool:
    """Whether a block's lines, blanks aside, stand in a file once."""
    wanted = [_key(line) for line in block]
    keys = [_key(line) for line in lines]
    found = 0
    for at, key in enumerate(keys):
        found += key == wanted[0] and keys[at : at + len(wanted)] == wanted
    return found == 1


def _is_fit(source: Source, start: int, old: Sequence[str]) -> bool:
    telling = [line for line in old if words_in(line)]
    return (
        len(telling) >= min(3, len(old))
        and len(telling) >= len(old) // 2
        and bool(words_in(old[0]) and words_in(old[-1]))
        and is_once(source.lines, old)
    )


def _key(line: str) -> str:
    return re.sub(r"\s+", "", line)


def _changed(old: Sequence[str], source: Source, dice: Random) -> tuple[Line, ...] | None:
    """One change or two at different places, mostly inside, now and then at the edges."""
    if len(old) < 4:
        return _replacing(old, dice)
    kinds = dice.sample(["replace", "replace", "insert", "nest", "delete"], dice.choice([1, 1, 2]))
    inside = range(1, len(old) - 1) if dice.random() < 0.7 else range(len(old))
    chosen = dict(zip(dice.sample(inside, len(kinds)), kinds, strict=True))
    new = list[Line]()
    for index, line in enumerate(old):
        kind = chosen.get(index, "keep")
        if kind in ("replace", "delete") and (not words_in(line) or _again(line, old)):
            return None
        if kind in ("insert", "nest"):
            new += _put(old, index, source, dice, nested=kind == "nest")
        if kind == "replace":
            new.append(Line(reworded(line, dice)))
        elif kind != "delete":
            new.append(Line(line, index))
    return tuple(new)


def _replacing(old: Sequence[str], dice: Random) -> tuple[Line, ...] | None:
    at = dice.randrange(len(old))
    if not words_in(old[at]):
        return None
    return tuple(
        Line(reworded(line, dice)) if index == at else Line(line, index)
        for index, line in enumerate(old)
    )


def _again(line: str, old: Sequence[str]) -> bool:
    return [_key(other) for other in old].count(_key(line)) > 1


def _put(
    old: Sequence[str], index: int, source: Source, dice: Random, *, nested: bool
) -> list[Line]:
    """Invented lines before an old one, at its depth or at that of the line above."""
    near = [line for line in old[max(index - 1, 0) : index + 1] if line.strip()]
    indent = indent_of(dice.choice(near)) if near else ""
    unit = unit_of(source.lines)
    statement = invented(dice, source.style)
    if not nested:
        more = [Line(indent + invented(dice, source.style))] if dice.random() < 0.3 else []
        return [Line(indent + statement), *more]
    word = f"{dice.choice(WORDS)}_{dice.randint(10, 99)}"
    if source.style in ("library", "pip"):
        return [Line(f"{indent}if {word}:"), Line(indent + unit + statement)]
    head, tail = f"{indent}if ({word}) {{", f"{indent}}}  // {word}"
    return [Line(head), Line(indent + unit + statement), Line(tail)]
