"""A thread as the database has it, as data: what a client is sent first. Loads no LangGraph."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ...config import paths
from ...memory.checkpoints.row_data import get_mapping
from ...memory.checkpoints.thread_facts import read_turn_start, read_values
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.journal import count_failed_calls
from ...memory.threads.record import ThreadRow
from ..threads.transcript import TranscriptEntry, read_transcript

_ROW = (
    "thread_id",
    "title",
    "name",
    "folder",
    "graph",
    "status",
    "created_at",
    "updated_at",
    "parent",
    "parent_step",
    "steps",
    "questions",
)


def describe_thread(row: ThreadRow) -> dict[str, Any]:
    """Return what a list of threads shows of one."""
    return {name: getattr(row, name) for name in _ROW}


def read_history(row: ThreadRow, home: Path) -> Mapping[str, Any]:
    """Return a thread with its entries; what is empty in an entry is left out. Blocks.

    Open questions are left out: `list_open_questions` has all of each.
    """
    entries = read_transcript(row, home, thinking=True)
    described = [describe_entry(entry) for entry in entries if entry.kind != "question"]
    chosen = _read_chosen(row, home)
    return {"thread": describe_thread(row), "entries": described, "chosen": chosen}


def count_failures(row: ThreadRow, home: Path) -> int:
    """Return how many calls of the last turn have failed. Blocks."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        since = read_turn_start(connection, row.thread_id)
        return count_failed_calls(connection, row.thread_id, since)


def _read_chosen(row: ThreadRow, home: Path) -> dict[str, Any]:
    """Return the model, approval mode and plan mode that were chosen for the thread last."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        options = get_mapping(read_values(connection, row.thread_id), "options") or row.options
    return {
        name: value for name in ("model", "mode", "plan") if (value := (options or {}).get(name))
    }


def describe_entry(entry: TranscriptEntry) -> dict[str, Any]:
    """Return an entry without what is empty in it; an edited call as it ran."""
    if args := get_mapping(entry.facts, "edited"):
        _, _, result = entry.result.partition("\n\n")
        entry = replace(entry, args=args, result=result, facts={**entry.facts, "edited": True})
    return {name: value for name, value in asdict(entry).items() if value or name == "ok"}
