"""A unified diff as files, hunks and numbered lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ....tools.git.diff_paths import parse_diff_path, unquote_path

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_GIT_NAMES = re.compile(r'diff --git (?:"?a/.*"?) ("b/.*"|b/.*)$')

LineKind = Literal["context", "removed", "added", "note"]
_KINDS: dict[str, LineKind] = {" ": "context", "-": "removed", "+": "added", "\\": "note"}


@dataclass
class DiffLine:
    """One line of a hunk."""

    kind: LineKind
    text: str
    number: int
    """In the new file, of a removed line in the old one; 0 for a note."""


@dataclass
class FileDiff:
    """The changes of one file."""

    path: str = ""
    """The new name; of a deleted file the old one."""
    notes: list[str] = field(default_factory=list[str])
    """What hunks cannot say: a rename, another mode, a file that is new, deleted or binary."""
    hunks: list[list[DiffLine]] = field(default_factory=list[list[DiffLine]])

    @property
    def added(self) -> int:
        """How many lines were added."""
        return self._count("added")

    @property
    def removed(self) -> int:
        """How many lines were removed."""
        return self._count("removed")

    def _count(self, kind: LineKind) -> int:
        return sum(line.kind == kind for hunk in self.hunks for line in hunk)


def parse_diff(diff: str) -> list[FileDiff]:
    """Return the files of a diff; every line of it is in a hunk, a note, or a file's name."""
    files: list[FileDiff] = []
    is_in_header = False
    lines = iter(diff.removesuffix("\n").split("\n"))  # only `\n` ends a line of a diff
    for line in lines:
        if line.startswith("diff --git ") or (line.startswith("--- ") and not is_in_header):
            files.append(FileDiff())
            is_in_header = True
        elif not files:
            files.append(FileDiff())
        if match := _HUNK.match(line):
            is_in_header = False
            files[-1].hunks.append(list(_read_hunk(match, lines)))
        else:
            _read_header(files[-1], line)
    return files


def _read_header(file: FileDiff, line: str) -> None:
    if line.startswith("diff --git "):
        if names := _GIT_NAMES.match(line):
            file.path = unquote_path(names[1]).removeprefix("b/")
    elif line.startswith("--- "):
        if line != "--- /dev/null":
            file.path = file.path or unquote_path(line[4:].rstrip("\t\r")).removeprefix("a/")
    elif line.startswith("+++ "):
        if line != "+++ /dev/null":
            file.path = parse_diff_path(line[4:])
    elif line and not line.startswith("index "):
        file.notes.append(line)


def _read_hunk(header: re.Match[str], lines: Iterator[str]) -> Iterator[DiffLine]:
    """Yield the lines of a hunk, as many as its header says."""
    old, new = int(header[1]), int(header[3])
    old_end = old + (int(header[2]) if header[2] else 1)
    new_end = new + (int(header[4]) if header[4] else 1)
    while old < old_end or new < new_end:
        line = next(lines, None)
        if line is None:
            return
        kind = _KINDS.get(line[:1] or " ", "note")
        text = line if kind == "note" else line[1:]
        yield DiffLine(kind, text, old if kind == "removed" else 0 if kind == "note" else new)
        old += kind in ("context", "removed")
        new += kind in ("context", "added")
