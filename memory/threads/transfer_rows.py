"""The rows of one thread for export and import, without abandoned branches and file history."""

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from ..audit import AUDIT_PREFIX, AUDIT_ROWS
from ..checkpoints.calls import read_call_ids
from ..checkpoints.thread_rows import (
    CheckpointRow,
    WriteRow,
    insert_thread_rows,
    read_checkpoint_rows,
    read_write_rows,
)
from .sub_runs import ENDED, INSERT_SUB_RUN, SubRun, read_sub_runs

# Only results are moved: not the partial output of a call or answer of a model after a kill, and
# not what this home alone knows of the thread.
_MARKS = ("answer", "events", "lease")
_CALLS = f"""
    WITH RECURSIVE family(id) AS (
        VALUES (:thread) UNION SELECT parent FROM threads JOIN family ON thread_id = family.id
    )
    SELECT call_id, tool, CASE state WHEN 'done' THEN result END, started_at, finished_at
    FROM family CROSS JOIN journal ON thread_id = family.id
    WHERE call_id NOT IN {_MARKS} AND NOT ({AUDIT_ROWS})
"""


class CallRow(NamedTuple):
    """One row of our journal."""

    id: str
    tool: str
    result: str | None
    """JSON; None where it has begun and nobody knows its outcome."""
    started_at: str
    finished_at: str | None


class ChildRows(NamedTuple):
    """All rows of a child that has reported to its parent."""

    child: SubRun
    checkpoints: Sequence[CheckpointRow]
    writes: Sequence[WriteRow]


class TransferRows(NamedTuple):
    """All rows of a thread."""

    checkpoints: Sequence[CheckpointRow]
    writes: Sequence[WriteRow]
    calls: Sequence[CallRow]
    children: Sequence[ChildRows] = ()


def read_rows(connection: sqlite3.Connection, thread_id: str) -> TransferRows:
    """Read the rows at one moment, also while the thread runs."""
    connection.execute("BEGIN")
    try:
        calls = connection.execute(_CALLS, {"thread": thread_id})
        return TransferRows(
            read_checkpoint_rows(connection, thread_id),
            read_write_rows(connection, thread_id),
            [CallRow(*row) for row in calls],
            _read_children(connection, thread_id),
        )
    finally:
        connection.execute("ROLLBACK")


def _read_children(connection: sqlite3.Connection, thread_id: str) -> tuple[ChildRows, ...]:
    children = [child for child in read_sub_runs(connection, thread_id) if child.status in ENDED]
    # an open call is decided anew, and its children start anew
    answered = read_call_ids(connection, thread_id).answered if children else set[str]()
    return tuple(
        ChildRows(
            child,
            read_checkpoint_rows(connection, thread_id, child.namespace),
            read_write_rows(connection, thread_id, child.namespace),
        )
        for child in children
        if child.call_id in answered
    )


def insert_rows(connection: sqlite3.Connection, thread_id: str, rows: TransferRows) -> None:
    """Insert the rows under that ID; LangGraph's tables must exist."""
    insert_thread_rows(connection, thread_id, rows.checkpoints, rows.writes)
    connection.executemany(
        "INSERT INTO journal (thread_id, call_id, tool, effectful, state, result, started_at,"
        " finished_at, pid) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)",
        [
            (thread_id, call.id, call.tool, "done" if call.result else "started", call.result)
            + (call.started_at, call.finished_at, os.getpid())
            for call in rows.calls
            if call.id not in _MARKS and not call.id.startswith(AUDIT_PREFIX)
        ],
    )
    for child, checkpoints, writes in rows.children:
        insert_thread_rows(connection, thread_id, checkpoints, writes, child.namespace)
        connection.execute(INSERT_SUB_RUN, asdict(replace(child, thread_id=thread_id)))
