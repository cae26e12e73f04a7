"""Each change of a thread's files, as people read it; without loading LangGraph."""

from dataclasses import dataclass
from pathlib import Path

from ...config import paths
from ...memory.checkpoints.steps import ThreadBranches
from ...memory.snapshots.file_version import filter_visible
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory, HistoryEntry
from ...memory.undo.undo_stack import find_active_entries
from .steps import read_thread_branches


@dataclass(frozen=True)
class ThreadFileChange:
    """One file that one entry of the history changed."""

    path: str
    kind: str
    """added, modified or deleted"""
    by: str
    """tool, shell, others, undo, redo or rewind"""
    tool: str
    """The tool's name; empty where none ran."""
    step: int | None
    """Whose doing it was; None where it was no step's."""
    at: str
    """ISO 8601, UTC."""
    in_effect: bool
    """Not taken back; always so for what is no tool's and no command's."""


def read_file_changes(row: ThreadRow, home: Path) -> list[ThreadFileChange]:
    """Every change, in order."""
    entries = FileHistory(paths.locate_database(home)).list_entries(row.thread_id)
    known = read_thread_branches(row, home)
    undone = {e.number for e in entries if e.kind in ("tool", "shell")}
    undone -= {entry.number for entry in find_active_entries(entries)}
    return [
        ThreadFileChange(
            path=change.path,
            kind=change.kind,
            by=entry.kind,
            tool=entry.tool,
            step=_find_step_number(entry, known),
            at=entry.created_at,
            in_effect=entry.number not in undone,
        )
        for entry in entries
        for change in filter_visible(entry.changes)
    ]


def _find_step_number(entry: HistoryEntry, known: ThreadBranches) -> int | None:
    """The number of the step that made the entry; None for no step's doing."""
    if entry.kind not in ("tool", "shell"):
        return None
    every = [step for branch in (known.steps, *known.abandoned) for step in branch]
    caller = next((step for step in every if entry.key in step.message.calls), None)
    # the run of the tests is no call: it belongs to the step that it judges
    judged = next((step for step in known.steps if step.file_entry >= entry.number), None)
    found = caller or judged
    return found.number if found else None
