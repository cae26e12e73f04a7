"""The attempts at a task, as shown to users; does not load LangGraph."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ...config import paths
from ...memory.checkpoints.row_data import filter_mappings
from ...memory.checkpoints.thread_facts import read_values
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow, ThreadStatus
from ...memory.threads.thread_id import build_attempt_thread_id


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
    rows = {each.thread_id: each for each in ThreadIndex(home).list()}
    results = {result.get("number"): result for result in _read_results(row, home)}
    ids = {number: build_attempt_thread_id(row.thread_id, number) for number in range(1, count + 1)}
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
