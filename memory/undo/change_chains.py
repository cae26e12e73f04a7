"""What taking entries back means for each file: its changes in order, contiguous ones as one."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..snapshots.file_version import Change, Version
from .history import Entry


@dataclass(frozen=True)
class Run:
    """Changes of one file by the thread, between which nobody else changed it."""

    old: Version
    new: Version
    unsure: str
    """Name of a tool that was killed while it ran, so that some of it may be others' doing."""
    doubt: str = ""
    """Name of a tool that ran meanwhile and does not name the file; empty where all is sure."""


def chains(entries: Sequence[Entry]) -> dict[str, list[Run]]:
    """The runs of each file that the entries, given in order, changed; by path, in order.

    Where a restore took back what is to be taken back anyway, neither counts.
    """
    steps: dict[str, list[tuple[Entry, Change]]] = {}
    for entry in entries:
        for change in entry.changes:
            steps.setdefault(change.path, []).append((entry, change))
    given = {entry.number for entry in entries}
    restores = [e for e in reversed(entries) if e.reverted and given.issuperset(e.reverted)]
    standing = {path: _standing(path, steps[path], restores) for path in sorted(steps)}
    return {path: _runs(left) for path, left in standing.items() if left}


def _standing(
    path: str, steps: list[tuple[Entry, Change]], restores: Sequence[Entry]
) -> list[tuple[Entry, Change]]:
    """A file's changes without the restores, given last first, and what they took back."""
    gone: set[int] = set()
    for restore in restores:
        if restore.number not in gone and path not in restore.left:
            gone |= {restore.number, *restore.reverted}
    return [step for step in steps if step[0].number not in gone]


def _runs(steps: list[tuple[Entry, Change]]) -> list[Run]:
    runs: list[Run] = []
    for entry, change in steps:
        tool = entry.tool or "a command"
        doubt = tool if change.path in entry.doubtful else ""
        unsure = "" if entry.sure else tool
        if runs and runs[-1].new == change.old and bool(runs[-1].doubt) == bool(doubt):
            last = runs.pop()
            runs.append(Run(last.old, change.new, last.unsure or unsure, last.doubt or doubt))
        else:
            runs.append(Run(change.old, change.new, unsure, doubt))
    return runs
