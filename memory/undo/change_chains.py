"""Changes of history entries, grouped by file; contiguous changes are merged."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..snapshots.file_version import (
    ABSENT,
    FileVersion,
    PathChange,
    filter_visible,
    is_folder,
    list_parent_folders,
)
from ..snapshots.git_objects import MissingObjectError
from ..snapshots.store import Snapshots
from .history import HistoryEntry


@dataclass(frozen=True)
class ChangeRun:
    """Changes of one file by the thread with no change by others in between."""

    old: FileVersion
    new: FileVersion
    unsure: str
    """Name of a tool that was killed while it ran, so others may have made some of the changes."""
    doubt: str = ""
    """Name of a tool that ran meanwhile and does not name the file; empty if there is no doubt."""


def build_chains(entries: Sequence[HistoryEntry]) -> dict[str, list[ChangeRun]]:
    """Return the runs of each file that the entries changed, sorted by path.

    `entries` are in order. A restore and the changes that it reverted cancel out.
    """
    steps: dict[str, list[tuple[HistoryEntry, PathChange]]] = {}
    for entry in entries:
        for change in entry.changes:
            steps.setdefault(change.path, []).append((entry, change))
    numbers = {entry.number for entry in entries}
    restores = [e for e in reversed(entries) if e.reverted and numbers.issuperset(e.reverted)]
    standing = {path: _drop_reverted(path, steps[path], restores) for path in sorted(steps)}
    return {path: _merge_runs(left) for path, left in standing.items() if left}


def _drop_reverted(
    path: str, steps: list[tuple[HistoryEntry, PathChange]], restores: Sequence[HistoryEntry]
) -> list[tuple[HistoryEntry, PathChange]]:
    """Drop the restores, given last first, and the changes that they reverted."""
    dropped_numbers: set[int] = set()
    for restore in restores:
        if restore.number not in dropped_numbers and path not in restore.skipped:
            dropped_numbers |= {restore.number, *restore.reverted}
    return [step for step in steps if step[0].number not in dropped_numbers]


def _merge_runs(steps: list[tuple[HistoryEntry, PathChange]]) -> list[ChangeRun]:
    runs: list[ChangeRun] = []
    for entry, change in steps:
        tool = entry.tool or "a command"
        doubt = tool if change.path in entry.doubtful else ""
        unsure = "" if entry.sure else tool
        if runs and runs[-1].new == change.old and bool(runs[-1].doubt) == bool(doubt):
            last = runs.pop()
            runs.append(ChangeRun(last.old, change.new, last.unsure or unsure, last.doubt or doubt))
        else:
            runs.append(ChangeRun(change.old, change.new, unsure, doubt))
    return runs


def find_filled_folders(entries: Sequence[HistoryEntry]) -> set[str]:
    """Return the folders that held something before the first of the entries that changed them."""
    filled, seen = set[str](), set[str]()
    for entry in entries:
        old_paths = [change.path for change in entry.changes if change.old != ABSENT]
        around = {above for path in old_paths for above in list_parent_folders(path)}
        changed = {change.path for change in entry.changes if is_folder(change.path)} - seen
        filled |= changed & around
        seen |= changed
    return filled


def compute_net_changes(entries: Sequence[HistoryEntry]) -> tuple[PathChange, ...]:
    """Return one change for each file, sorted by path; files that end unchanged are left out."""
    ends = (
        PathChange(path, runs[0].old, runs[-1].new) for path, runs in build_chains(entries).items()
    )
    return tuple(filter_visible(change for change in ends if change.old != change.new))


async def render_net_diff(snapshots: Snapshots, entries: Sequence[HistoryEntry]) -> str:
    """Return the entries' changes as one unified diff, or a message if the snapshots are lost.

    Changes that others made to the same files in between are part of it.
    """
    done = [entry for entry in entries if entry.state == "done"]
    paths = [change.path for change in compute_net_changes(done)]
    try:
        return await snapshots.diff(done[0].before, done[-1].after, paths) if paths else ""
    except MissingObjectError as error:
        return f"{error.message}\n"
