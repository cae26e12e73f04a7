"""The rows of one thread in LangGraph's tables: read, insert, copy, delete."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from .row_compression import compress_row, expand_row
from .tables import BRANCH, CONVERSATION, STORY, StoryChannel, has_tables

_CHECKPOINTS = (
    CONVERSATION
    + """
    SELECT checkpoint_id, checkpoint, metadata FROM chain CROSS JOIN checkpoints
        ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = '' AND type = 'msgpack' ORDER BY checkpoint_id
"""
)
_WRITES = (
    CONVERSATION
    + """
    SELECT checkpoint_id, task_id, task_path, idx, channel, value FROM chain CROSS JOIN writes
        ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = '' AND type = 'msgpack'
        AND channel IN (SELECT value FROM json_each(:story))
    ORDER BY checkpoint_id, task_path, task_id, idx
"""
)
_COPY_CHECKPOINTS = (
    BRANCH
    + """
    INSERT INTO checkpoints
        (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    SELECT :fork, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
    FROM checkpoints JOIN chain ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = ''
"""
)
# The writes of the last checkpoint are left out: they are the parent's next step.
_COPY_WRITES = (
    BRANCH
    + """
    INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel,
        type, value)
    SELECT :fork, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
    FROM writes JOIN chain ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = '' AND checkpoint_id != :last
"""
)


class CheckpointRow(NamedTuple):
    """One row of LangGraph's checkpoints; its parent is the row before it."""

    id: str
    data: bytes
    metadata: bytes


class WriteRow(NamedTuple):
    """One row of LangGraph's writes."""

    checkpoint: str
    task_id: str
    task_path: str
    idx: int
    channel: StoryChannel
    data: bytes


Row = TypeVar("Row", CheckpointRow, WriteRow)


def read_checkpoint_rows(connection: sqlite3.Connection, thread_id: str) -> list[CheckpointRow]:
    """Read the conversation's checkpoints, the oldest first."""
    if not has_tables(connection):
        return []
    rows = connection.execute(_CHECKPOINTS, {"thread": thread_id})
    return [_expand_data(CheckpointRow(*row)) for row in rows]


def read_write_rows(connection: sqlite3.Connection, thread_id: str) -> list[WriteRow]:
    """Read the writes that make up the conversation's history; the checkpoints have the rest."""
    if not has_tables(connection):
        return []
    rows = connection.execute(_WRITES, {"thread": thread_id, "story": json.dumps(STORY)})
    return [_expand_data(WriteRow(*row)) for row in rows]


def _expand_data(row: Row) -> Row:
    return row._replace(data=expand_row(row.data))


def insert_thread_rows(
    connection: sqlite3.Connection,
    thread_id: str,
    checkpoints: Sequence[CheckpointRow],
    writes: Sequence[WriteRow],
) -> None:
    """Insert the rows under that ID; LangGraph's tables must exist."""
    parents = [None, *(checkpoint.id for checkpoint in checkpoints)]
    connection.executemany(
        "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id,"
        " type, checkpoint, metadata) VALUES (?, '', ?, ?, 'msgpack', ?, ?)",
        [
            (thread_id, checkpoint.id, parent, compress_row(checkpoint.data), checkpoint.metadata)
            for checkpoint, parent in zip(checkpoints, parents, strict=False)
        ],
    )
    connection.executemany(
        "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,"
        " channel, type, value) VALUES (?, '', ?, ?, ?, ?, ?, 'msgpack', ?)",
        [(thread_id, *write._replace(data=compress_row(write.data))) for write in writes],
    )


def copy_thread_rows(connection: sqlite3.Connection, parent: str, last: str, fork: str) -> None:
    """Copy the checkpoint `last` of the thread `parent` and all before it to the thread `fork`.

    Calls that are open there stay with the parent.
    """
    given = {"thread": parent, "last": last, "fork": fork}
    connection.execute(_COPY_CHECKPOINTS, given)
    connection.execute(_COPY_WRITES, given)


def delete_thread_rows(connection: sqlite3.Connection, thread_id: str) -> None:
    """Delete the thread's checkpoints and writes."""
    if has_tables(connection):
        connection.execute("DELETE FROM checkpoints WHERE thread_id = ?", (thread_id,))
        connection.execute("DELETE FROM writes WHERE thread_id = ?", (thread_id,))
