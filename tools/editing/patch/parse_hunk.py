"""Parser of the hunks of a unified diff, whose counts may be wrong."""

import re
from collections.abc import Sequence

from ...result import ToolError
from .apply_hunk import Hunk

_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?(?: @@.*|\s*)")
_NUMBERS = re.compile(r"-\d+(,\d+)? \+\d+(,\d+)?")
# the texts that a line with this sign is of: the old, `-`, the new, `+`
_SIDES = {"": "-+", " ": "-+", "-": "-", "+": "+"}
# a line number beyond this is none
_MAX_LINE_NUMBER = 10**9


class _HunkBody:
    """The lines of a hunk as they are read."""

    def __init__(self, counts: tuple[int, int] | None) -> None:
        self.lines: list[str] = []
        self.unended = {"-": False, "+": False}
        self._counts = counts

    def add_line(self, line: str, at: int) -> None:
        """Add a line; an empty one has only lost its blank."""
        if line.startswith("\\"):
            return self._end_without_newline(at)
        if any(self.unended[sign] for sign in _SIDES[line[:1]]):
            raise ToolError(
                f"line {at + 1} of the patch comes after the one that "
                "`\\ No newline at end of file` makes the last"
            )
        self.lines.append(line or " ")

    def _end_without_newline(self, at: int) -> None:
        """Note that the last line added ends the file without a newline."""
        if not self.lines:
            raise ToolError(f"line {at + 1} of the patch, `\\ …`, follows no line")
        for sign in _SIDES[self.lines[-1][:1]]:
            self.unended[sign] = True

    def needs_both(self) -> bool:
        """Whether, by the header, exactly one line to remove and one to add are missing."""
        old = sum(line[:1] != "+" for line in self.lines)
        new = sum(line[:1] != "-" for line in self.lines)
        return self._counts == (old + 1, new + 1)


def read_hunk(lines: Sequence[str], start: int) -> tuple[Hunk, int]:
    """Parse the hunk that begins at a line, from 0; return it and the line after it."""
    head = _HEAD.fullmatch(lines[start])
    if head is None and _NUMBERS.search(lines[start]):
        raise ToolError(
            f"line {start + 1} of the patch, `{lines[start][:80]}`, cannot be read: "
            "a hunk begins with `@@ -1,3 +1,4 @@`"
        )
    counts = (_parse_number(head[2], 1), _parse_number(head[4], 1)) if head else None
    body = _HunkBody(counts)
    at = _read_body(body, lines, start + 1)
    if not body.lines:
        raise ToolError(f"the hunk at line {start + 1} of the patch is empty")
    line = _parse_number(head[1], 0) + (head[2] == "0") if head else None
    context = _parse_context(lines[start]) if head is None else ()
    hunk = Hunk(
        tuple(body.lines),
        line=line or None,
        context=context,
        old_unended=body.unended["-"],
        new_unended=body.unended["+"],
    )
    return hunk, at


def _read_body(body: _HunkBody, lines: Sequence[str], start: int) -> int:
    """Read the lines of a hunk; empty lines at its end do not belong to it."""
    after = at = start
    while at < len(lines):
        line = lines[at]
        if line[:1] not in ("", " ", "+", "-", "\\") or _is_next_file(body, lines, at):
            break
        at += 1
        if line:
            for place in range(after, at):
                body.add_line(lines[place], place)
            after = at
    return after


def _is_next_file(body: _HunkBody, lines: Sequence[str], at: int) -> bool:
    """Return whether the header of another file begins."""
    # two changed lines `-- x` and `++ y` look the same: then the counts of the hunk decide
    heads = zip(lines[at : at + 3], ("--- ", "+++ ", "@@"), strict=False)
    alike = len(lines) >= at + 3 and all(line.startswith(head) for line, head in heads)
    return alike and not body.needs_both()


def _parse_context(head: str) -> tuple[str, ...]:
    """Parse the context in a head without numbers, such as `@@ def main():`."""
    text = head.removeprefix("@@").strip().removesuffix("@@").strip().removeprefix("...").strip()
    return (text,) if text else ()


def _parse_number(digits: str | None, default: int) -> int:
    return min(int(digits[:12]), _MAX_LINE_NUMBER) if digits else default
