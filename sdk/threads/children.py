"""The sub-agents of a thread, as shown to users; does not load LangGraph."""

from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast

from ...config import paths
from ...config.errors import UsageError
from ...config.text import text
from ...memory.checkpoints.calls import read_call_ids
from ...memory.checkpoints.row_data import filter_mappings
from ...memory.checkpoints.thread_facts import read_values
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.threads.children import read_children
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow, ThreadStatus
from ...memory.threads.sub_runs import ENDED, SubRun, SubRuns, SubRunStatus
from ...memory.threads.thread_id import build_attempt_thread_id

# interrupted: its process has ended, and a resume of the thread continues it
ShownStatus = SubRunStatus | Literal["interrupted"]
# Threads that no resume continues: a child that is open there has been left
AT_REST: frozenset[ThreadStatus] = frozenset({"idle", "done", "unverified", "undone"})


def list_children(row: ThreadRow, home: Path) -> list[SubRun]:
    """Return the children of the conversation as it is, in the order of their calls."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        return read_children(connection, row.thread_id)


def find_child(row: ThreadRow, home: Path, sub_id: str) -> SubRun:
    """Return the child of that ID, also of an abandoned branch; raises UsageError for none."""
    child = SubRuns(paths.locate_database(home)).find_sub_run(row.thread_id, sub_id)
    if child is not None:
        return child
    child_ids = ", ".join(f"`{each.sub_id}`" for each in list_children(row, home))
    raise UsageError(
        text("thread `{thread}` has no sub-agent `{id}`", thread=row.thread_id[:8], id=sub_id),
        hint=text("it has {ids}", ids=child_ids) if child_ids else "it has no sub-agents",
    )


def derive_child_status(child: SubRun, row: ThreadRow, answered: Collection[str]) -> ShownStatus:
    """Return how a child is doing; `answered` are the calls of its thread that have a result."""
    if child.status in ENDED:
        return child.status
    # its call was left, as by a new message
    if child.call_id in answered or row.status in AT_REST:
        return "killed"
    if row.status == "running" or (row.status, child.status) == ("waiting", "waiting"):
        return child.status
    return "interrupted"


def read_child_status(child: SubRun, row: ThreadRow, home: Path) -> ShownStatus:
    """Return how a child of any branch is doing: one of an abandoned branch was left, too."""
    if child.status in ENDED:
        return child.status
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        calls = read_call_ids(connection, row.thread_id)
    is_abandoned = child.call_id not in calls.made
    return "killed" if is_abandoned else derive_child_status(child, row, calls.answered)


def measure_seconds(child: SubRun) -> float | None:
    """Return how long a child has taken; None while it has not ended."""
    if child.ended_at is None:
        return None
    took = datetime.fromisoformat(child.ended_at) - datetime.fromisoformat(child.started_at)
    return round(took.total_seconds(), 3)


@dataclass(frozen=True)
class AttemptSummary:
    """One of several attempts at a task."""

    number: int
    """From 1."""
    thread_id: str
    status: ThreadStatus
    """The status of its thread."""
    model: str = ""
    """The model that was named for it; empty: the configured one."""
    kept: bool = False
    reason: str = ""
    """Why it is kept, or why not; empty until all attempts have ended."""


def list_attempts(row: ThreadRow, home: Path) -> list[AttemptSummary]:
    """Return the attempts of a thread that have begun, and are not deleted; mostly none."""
    count = cast("Mapping[str, Any]", row.options or {}).get("best_of", 1)
    if not isinstance(count, int) or count < 2:
        return []
    results = {result.get("number"): result for result in _read_results(row, home)}
    ids = {number: build_attempt_thread_id(row.thread_id, number) for number in range(1, count + 1)}
    rows = {each.thread_id: each for each in ThreadIndex(home).list(ids=ids.values())}
    return [
        _build_summary(number, rows[thread_id], results.get(number, {}))
        for number, thread_id in ids.items()
        if thread_id in rows
    ]


def _read_results(row: ThreadRow, home: Path) -> list[Mapping[str, Any]]:
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        return list(filter_mappings(read_values(connection, row.thread_id).get("attempts")))


def _build_summary(number: int, row: ThreadRow, result: Mapping[str, Any]) -> AttemptSummary:
    named = cast("Mapping[str, Any]", row.options or {}).get("model", "")
    return AttemptSummary(
        number,
        row.thread_id,
        row.status,
        model=str(result.get("model", named)),
        kept=bool(result.get("kept")),
        reason=str(result.get("reason", "")),
    )
