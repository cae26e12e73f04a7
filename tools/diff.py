"""What changed between two texts, as a unified diff that `git apply` understands."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

CONTEXT = 3
NO_NEWLINE = "\n\\ No newline at end of file\n"


class Change(NamedTuple):
    """Lines `start` to `end` of the old text, and what stands for them in the new one."""

    kind: str
    """`equal`, `replace`, `delete` or `insert`."""
    start: int
    end: int
    new_start: int
    new_end: int


def unified(old: str | None, new: str, path: str) -> str:
    """The change from `old` to `new`, empty when there is none; `None` is a missing file.

    Only `\\n` ends a line.
    """
    if old == new:
        return ""
    before, after = _with_ends(old or ""), _with_ends(new)
    source = "/dev/null" if old is None else _quoted(f"a/{path}")
    head = f"--- {source}\n+++ {_quoted(f'b/{path}')}\n"
    groups = _grouped(line_changes(before, after))
    return head + "".join(_hunk(group, before, after) for group in groups)


def count_changes(diff: str) -> tuple[int, int]:
    """How many lines a diff of `unified` adds, and how many it removes."""
    body = diff.split("\n")[2:]
    return sum(line[:1] == "+" for line in body), sum(line[:1] == "-" for line in body)


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """How one list of lines becomes the other; only what lies between equal ends is compared."""
    head = _same(zip(old, new, strict=False))
    tail = _same(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    old_end, new_end = len(old) - tail, len(new) - tail
    middle = SequenceMatcher(None, old[head:old_end], new[head:new_end]).get_opcodes()
    changes = [
        Change("equal", 0, head, 0, head),
        *(Change(kind, *(place + head for place in places)) for kind, *places in middle),
        Change("equal", old_end, len(old), new_end, len(new)),
    ]
    return [change for change in changes if change.start < change.end or change.kind == "insert"]


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _with_ends(text: str) -> list[str]:
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]


def _grouped(changes: Sequence[Change]) -> list[list[Change]]:
    """Changes so near to each other that their contexts touch share a hunk."""
    groups: list[list[Change]] = []
    for change in changes:
        if change.kind == "equal":
            continue
        if groups and change.start - groups[-1][-1].end <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(group: Sequence[Change], before: Sequence[str], after: Sequence[str]) -> str:
    first, last = group[0], group[-1]
    start, end = max(first.start - CONTEXT, 0), min(last.end + CONTEXT, len(before))
    new_start, new_end = first.new_start - first.start + start, last.new_end - last.end + end
    lines, place = [f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"], start
    for change in group:
        lines += _marked(" ", before[place : change.start])
        lines += _marked("-", before[change.start : change.end])
        lines += _marked("+", after[change.new_start : change.new_end])
        place = change.end
    return "".join(lines + _marked(" ", before[place:end]))


def _marked(sign: str, lines: Sequence[str]) -> list[str]:
    return [sign + (line if line.endswith("\n") else line + NO_NEWLINE) for line in lines]


def _range(start: int, end: int) -> str:
    size = end - start
    return str(start + 1) if size == 1 else f"{start + (size > 0)},{size}"


def _quoted(name: str) -> str:
    """A file name as git writes it: hard ones as a C string, and a tab ends one with blanks."""
    if any(letter < " " or letter in '"\\\x7f' for letter in name):
        return '"' + "".join(map(_escaped, name)) + '"'
    return name + "\t" if " " in name else name


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return f"\\{ord(letter):03o}" if letter < " " or letter == "\x7f" else letter
