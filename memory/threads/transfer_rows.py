"""The rows of one thread, to be moved to another database: the conversation as it is, by SQL.

Neither what was left by going back nor the history of files is among them.
"""

import os
import sqlite3
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar

from ..checkpoints.writes import CHAIN
from ..database.checkpoint_queries import has_tables
from ..database.row_compression import compress_row, expand_row

Channel = Literal["request", "messages", "told", "evidence", "outcome"]
"""What of the writes is moved: what the conversation is made of and is told by. The rest stands in
the checkpoints."""
_CHECKPOINTS = (
    CHAIN
    + """
    SELECT checkpoint_id, checkpoint, metadata FROM chain CROSS JOIN checkpoints
        ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = '' AND type = 'msgpack' ORDER BY checkpoint_id
"""
)
_WRITES = (
    CHAIN
    + """
    SELECT checkpoint_id, task_id, task_path, idx, channel, value FROM chain CROSS JOIN writes
        ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = '' AND type = 'msgpack'
        AND channel IN ('request', 'messages', 'told', 'evidence', 'outcome')
    ORDER BY checkpoint_id, task_path, task_id, idx
"""
)
_CALLS = """
    WITH RECURSIVE family(id) AS (
        VALUES (:thread) UNION SELECT parent FROM threads JOIN family ON thread_id = family.id
    )
    SELECT call_id, tool, CASE state WHEN 'done' THEN result END, started_at, finished_at
    FROM family CROSS JOIN journal ON thread_id = family.id
    WHERE call_id != 'answer'
"""
"""Only results go along, not what a call had printed, or a model had said, when it was killed."""


class CheckpointRow(NamedTuple):
    """One row of LangGraph's checkpoints; its parent is the one before it."""

    id: str
    data: bytes
    metadata: bytes


class WriteRow(NamedTuple):
    """One row of LangGraph's writes."""

    checkpoint: str
    task_id: str
    task_path: str
    idx: int
    channel: Channel
    data: bytes


Row = TypeVar("Row", CheckpointRow, WriteRow)


class CallRow(NamedTuple):
    """One row of our journal."""

    id: str
    tool: str
    result: str | None
    """JSON; None where it has begun and nobody knows its outcome."""
    started_at: str
    finished_at: str | None


class TransferRows(NamedTuple):
    """All rows of a thread."""

    checkpoints: Sequence[CheckpointRow]
    writes: Sequence[WriteRow]
    calls: Sequence[CallRow]


def read_rows(connection: sqlite3.Connection, thread_id: str) -> TransferRows:
    """The rows as they stand at one moment, also while the thread runs."""
    given = {"thread": thread_id}
    connection.execute("BEGIN")
    try:
        if not has_tables(connection):
            return TransferRows((), (), ())
        return TransferRows(
            [_expand_data(CheckpointRow(*row)) for row in connection.execute(_CHECKPOINTS, given)],
            [_expand_data(WriteRow(*row)) for row in connection.execute(_WRITES, given)],
            [CallRow(*row) for row in connection.execute(_CALLS, given)],
        )
    finally:
        connection.execute("ROLLBACK")


def _expand_data(row: Row) -> Row:
    return row._replace(data=expand_row(row.data))


def insert_rows(connection: sqlite3.Connection, thread_id: str, rows: TransferRows) -> None:
    """Put them in under that id; LangGraph's tables must be there."""
    parents = [None, *(checkpoint.id for checkpoint in rows.checkpoints)]
    connection.executemany(
        "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id,"
        " type, checkpoint, metadata) VALUES (?, '', ?, ?, 'msgpack', ?, ?)",
        [
            (thread_id, checkpoint.id, parent, compress_row(checkpoint.data), checkpoint.metadata)
            for checkpoint, parent in zip(rows.checkpoints, parents, strict=False)
        ],
    )
    connection.executemany(
        "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,"
        " channel, type, value) VALUES (?, '', ?, ?, ?, ?, ?, 'msgpack', ?)",
        [(thread_id, *write._replace(data=compress_row(write.data))) for write in rows.writes],
    )
    connection.executemany(
        "INSERT INTO journal (thread_id, call_id, tool, effectful, state, result, started_at,"
        " finished_at, pid) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)",
        [
            (thread_id, call.id, call.tool, "done" if call.result else "started", call.result)
            + (call.started_at, call.finished_at, os.getpid())
            for call in rows.calls
        ],
    )
