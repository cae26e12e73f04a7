"""File changes of a thread, as shown to users; does not load LangGraph."""

from dataclasses import dataclass
from pathlib import Path

from ...config import paths
from ...memory.checkpoints.steps import ThreadBranches
from ...memory.snapshots.file_version import filter_visible
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory, HistoryEntry
from ...memory.undo.undo_stack import find_active_entries
from .steps import read_parent_calls, read_thread_branches

# Kinds of entries that a step of the thread makes
BY_STEPS = ("tool", "shell", "merge")


@dataclass(frozen=True)
class ThreadFileChange:
    """One file that one entry of the history changed."""

    path: str
    kind: str
    """added, modified or deleted"""
    by: str
    """tool, shell, merge, others, undo, redo or rewind"""
    tool: str
    """The tool's name; empty if none ran."""
    step: int | None
    """The step that made the change; None if no step did."""
    turn: int
    """Number of the user's request, from 1."""
    at: str
    """ISO 8601, UTC."""
    in_effect: bool
    """Not reverted; always true for changes by others and restores."""


def read_file_changes(row: ThreadRow, home: Path) -> list[ThreadFileChange]:
    """Return all changes, in order."""
    entries = FileHistory(paths.locate_database(home)).list_entries(row.thread_id)
    branches, parents = read_thread_branches(row, home), read_parent_calls(row, home)
    active = {(e.number, each.path) for e in find_active_entries(entries) for each in e.changes}
    return [
        ThreadFileChange(
            path=change.path,
            kind=change.kind,
            by=entry.kind,
            tool=entry.tool,
            step=_find_step_number(entry, branches, parents.get(entry.key, entry.key)),
            turn=entry.turn,
            at=entry.created_at,
            in_effect=entry.kind not in BY_STEPS or (entry.number, change.path) in active,
        )
        for entry in entries
        for change in filter_visible(entry.changes)
    ]


def _find_step_number(entry: HistoryEntry, branches: ThreadBranches, call_id: str) -> int | None:
    """Return the number of the step that made the entry by that call; None if no step did."""
    if entry.kind not in BY_STEPS:
        return None
    every = [step for branch in (branches.steps, *branches.abandoned) for step in branch]
    caller = next((step for step in every if call_id in step.message.calls), None)
    # a test run is not a call: it belongs to the step that it tests
    judged = next((step for step in branches.steps if step.file_entry >= entry.number), None)
    step = caller or judged
    return step.number if step else None
