"""Unified diffs that `git apply` understands."""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .text_edits import TextEdit

CONTEXT = 3
# lines of both texts from which on they are split at lines that both have once
SPLIT_FROM = 1_000
# lines of both texts that are compared with each other; more count as all changed, or it would
# take minutes
MAX_COMPARED = 20_000
NO_NEWLINE = "\n\\ No newline at end of file\n"


class LineChange(NamedTuple):
    """Lines `start` to `end` of the old text, and what stands for them in the new one."""

    kind: str
    """`equal`, `replace`, `delete` or `insert`."""
    start: int
    end: int
    new_start: int
    new_end: int


class ChangedBlock(NamedTuple):
    """Lines `start` to `end` of the old text, and what stands for them in the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


def build_diff(
    old: str | None,
    new: str | None,
    path: str,
    pieces: "Sequence[TextEdit] | None" = None,
    was: str = "",
) -> str:
    """Build the diff from `old` to `new`, empty if they are equal; `None` is a missing file.

    Only `\\n` ends a line. `pieces`, if given, are the edits; then nothing else is compared. `was`
    is the path of the old text if it differs.
    """
    if old == new:
        return ""
    before, after = _with_ends(old or ""), _with_ends(new or "")
    source = "/dev/null" if old is None else _quote_path(f"a/{was or path}")
    target = "/dev/null" if new is None else _quote_path(f"b/{path}")
    head = f"--- {source}\n+++ {target}\n"
    if pieces is None or old is None:
        changes = diff_lines(before, after)
    else:
        changes = _diff_blocks(before, after, find_blocks(old, pieces))
    groups = _group_changes(change for change in changes if change.kind != "equal")
    return head + "".join(_format_hunk(group, before, after) for group in groups)


def find_changed_lines(old: str, new: str, pieces: "Sequence[TextEdit]") -> list[LineChange]:
    """Return the lines that differ, from known edits."""
    changes = _diff_blocks(_with_ends(old), _with_ends(new), find_blocks(old, pieces))
    return [change for change in changes if change.kind != "equal"]


def build_git_header(was: str, path: str, fields: Sequence[str]) -> str:
    """Build git's lines above a file's diff, for what its hunks cannot express."""
    names = f"{_to_c_string(f'a/{was}')} {_to_c_string(f'b/{path}')}"
    renamed = [f"rename from {_to_c_string(was)}", f"rename to {_to_c_string(path)}"]
    lines = [*fields, *(renamed if was != path else [])]
    return "".join(f"{line}\n" for line in (f"diff --git {names}", *lines)) if lines else ""


def count_changes(diff: str) -> tuple[int, int]:
    """Count the lines that the diff of one file adds, and those that it removes."""
    body = diff[diff.find("\n@@") + 1 :].split("\n") if "\n@@" in diff else []
    return sum(line[:1] == "+" for line in body), sum(line[:1] == "-" for line in body)


def shorten_diff(diff: str, most: int) -> str:
    """Return the diff, or at most `most` characters of it and a note on the size of the rest."""
    if len(diff) <= most:
        return diff
    head = diff[: diff.rfind("\n", 0, most) + 1]
    more = diff.count("\n") - head.count("\n")
    return f"{head}[… {more:,} more lines]\n"


def is_shortened(diff: str) -> bool:
    """Return whether a diff was shortened; no line of a diff itself begins like the note."""
    return diff.rstrip("\n").rpartition("\n")[2].startswith("[… ")


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """Diff two lists of lines; only the lines between equal ends are compared."""
    head = count_equal(old, new)
    tail = count_equal(reversed(old[head:]), reversed(new[head:]))
    old_end, new_end = len(old) - tail, len(new) - tail
    changes = [
        LineChange("equal", 0, head, 0, head),
        *_shift_changes(_compare_lines(old[head:old_end], new[head:new_end]), head, head),
        LineChange("equal", old_end, len(old), new_end, len(new)),
    ]
    return [change for change in changes if change.start < change.end or change.kind == "insert"]


def _diff_blocks(
    before: Sequence[str], after: Sequence[str], places: Iterable[ChangedBlock]
) -> list[LineChange]:
    """Return the changes inside blocks of lines, without the equal lines between the blocks."""
    return [
        change
        for start, end, new_start, new_end in places
        for change in _shift_changes(
            diff_lines(before[start:end], after[new_start:new_end]), start, new_start
        )
    ]


def _compare_lines(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    if len(old) + len(new) <= SPLIT_FROM:
        return _match_lines(old, new)
    changes, done, new_done = list[LineChange](), 0, 0
    for at, new_at in [*find_anchors(old, new), (len(old), len(new))]:
        changes += _shift_changes(_match_lines(old[done:at], new[new_done:new_at]), done, new_done)
        changes.append(LineChange("equal", at, at + 1, new_at, new_at + 1))
        done, new_done = at + 1, new_at + 1
    return changes[:-1]


def _match_lines(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    if len(old) + len(new) > MAX_COMPARED:
        return [LineChange("replace" if old else "insert", 0, len(old), 0, len(new))]
    return [LineChange(*code) for code in SequenceMatcher(None, old, new).get_opcodes()]


def _shift_changes(changes: Iterable[LineChange], by: int, new_by: int) -> list[LineChange]:
    return [
        LineChange(kind, start + by, end + by, new_start + new_by, new_end + new_by)
        for kind, start, end, new_start, new_end in changes
    ]


def count_equal(left: Iterable[str], right: Iterable[str]) -> int:
    """Return with how many equal lines both begin."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _with_ends(text: str) -> list[str]:
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]


def _group_changes(changes: Iterable[LineChange]) -> list[list[LineChange]]:
    """Group changes into hunks: changes whose contexts touch share a hunk."""
    groups: list[list[LineChange]] = []
    for change in changes:
        if groups and change.start - groups[-1][-1].end <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _format_hunk(group: Sequence[LineChange], before: Sequence[str], after: Sequence[str]) -> str:
    first, last = group[0], group[-1]
    start, end = max(first.start - CONTEXT, 0), min(last.end + CONTEXT, len(before))
    new_start, new_end = first.new_start - first.start + start, last.new_end - last.end + end
    lines, place = (
        [f"@@ -{_format_range(start, end)} +{_format_range(new_start, new_end)} @@\n"],
        start,
    )
    for change in group:
        lines += _mark_lines(" ", before[place : change.start])
        lines += _mark_lines("-", before[change.start : change.end])
        lines += _mark_lines("+", after[change.new_start : change.new_end])
        place = change.end
    return "".join(lines + _mark_lines(" ", before[place:end]))


def _mark_lines(sign: str, lines: Sequence[str]) -> list[str]:
    return [sign + (line if line.endswith("\n") else line + NO_NEWLINE) for line in lines]


def _format_range(start: int, end: int) -> str:
    size = end - start
    return str(start + 1) if size == 1 else f"{start + (size > 0)},{size}"


def _quote_path(name: str) -> str:
    """Format a file name for a hunk's header as git does: a tab follows a name with blanks."""
    written = _to_c_string(name)
    return written + "\t" if " " in name and written == name else written


def _to_c_string(name: str) -> str:
    """Format a file name as git does: special ones as a C string."""
    if any(letter < " " or letter in '"\\\x7f' for letter in name):
        return '"' + "".join(map(_escape_letter, name)) + '"'
    return name


def _escape_letter(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return f"\\{ord(letter):03o}" if letter < " " or letter == "\x7f" else letter


def find_anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Find the most lines, from 0, that stand once in each text, in the same order."""
    # patience diff: it takes the time that sorting takes, not that of comparing all pairs
    once_old, once_new = _find_unique_lines(old), _find_unique_lines(new)
    pairs = [(at, once_new[line]) for line, at in once_old.items() if line in once_new]
    return _find_longest_ascending(pairs)


def _find_unique_lines(lines: Sequence[str]) -> dict[str, int]:
    counts = Counter(lines)
    return {line: at for at, line in enumerate(lines) if counts[line] == 1}


def _find_longest_ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs that also ascends in the second number."""
    ends, at_end, before = list[int](), list[int](), list[int]()
    for number, (_, place) in enumerate(pairs):
        length = bisect(ends, place)
        before.append(at_end[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        at_end[length : length + 1] = [number]
    ascending, number = list[tuple[int, int]](), at_end[-1] if at_end else -1
    while number >= 0:
        ascending.append(pairs[number])
        number = before[number]
    return ascending[::-1]


def find_blocks(text: str, pieces: "Sequence[TextEdit]") -> list[ChangedBlock]:
    """Find the runs of whole lines, from 0, that hold the edits, in linear time."""
    blocks, line, done, shift = list[ChangedBlock](), 0, 0, 0
    for piece in pieces:
        line += text.count("\n", done, piece.start)
        removed_count, added_count = text.count("\n", piece.start, piece.end), piece.new.count("\n")
        block = ChangedBlock(
            line, line + removed_count + 1, line + shift, line + shift + added_count + 1
        )
        line, done, shift = line + removed_count, piece.end, shift + added_count - removed_count
        if blocks and blocks[-1].end >= block.start:
            block = ChangedBlock(blocks[-1].start, block.end, blocks[-1].new_start, block.new_end)
            blocks.pop()
        blocks.append(block)
    return blocks
