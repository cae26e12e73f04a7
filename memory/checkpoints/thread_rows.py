"""The rows of one thread in LangGraph's tables: read, insert, copy, delete."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from .row_compression import compress_row, expand_row
from .tables import BRANCH, CONVERSATION, OWN_NAMESPACE, STORY, TABLES, StoryChannel, has_tables

_CHECKPOINTS = (
    CONVERSATION
    + """
    SELECT checkpoint_id, checkpoint, metadata FROM chain CROSS JOIN checkpoints
        ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = :namespace AND type = 'msgpack'
    ORDER BY checkpoint_id
"""
)
_WRITES = (
    CONVERSATION
    + """
    SELECT checkpoint_id, task_id, task_path, idx, channel, value FROM chain CROSS JOIN writes
        ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = :namespace AND type = 'msgpack'
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
    WHERE thread_id = :thread AND checkpoint_ns = :namespace
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
    WHERE thread_id = :thread AND checkpoint_ns = :namespace AND checkpoint_id != :last
"""
)
_COLUMNS = {
    "checkpoints": ("checkpoint_id", "parent_checkpoint_id", "type", "checkpoint", "metadata"),
    "writes": ("checkpoint_id", "task_id", "task_path", "idx", "channel", "type", "value"),
}
_COPY_CHILD = tuple(
    f"INSERT INTO {table} (thread_id, checkpoint_ns, {', '.join(columns)})"
    f" SELECT :fork, checkpoint_ns, {', '.join(columns)} FROM {table}"
    " WHERE thread_id = :thread AND checkpoint_ns = :namespace"
    for table, columns in _COLUMNS.items()
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


def read_checkpoint_rows(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> list[CheckpointRow]:
    """Read the checkpoints of the conversation or of a child's, the oldest first."""
    if not has_tables(connection):
        return []
    rows = connection.execute(_CHECKPOINTS, {"thread": thread_id, "namespace": namespace})
    return [_expand_data(CheckpointRow(*row)) for row in rows]


def read_write_rows(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> list[WriteRow]:
    """Read the writes that make up the conversation's history; the checkpoints have the rest."""
    if not has_tables(connection):
        return []
    parameters = {"thread": thread_id, "namespace": namespace, "story": json.dumps(STORY)}
    rows = connection.execute(_WRITES, parameters)
    return [_expand_data(WriteRow(*row)) for row in rows]


def _expand_data(row: Row) -> Row:
    return row._replace(data=expand_row(row.data))


def insert_thread_rows(
    connection: sqlite3.Connection,
    thread_id: str,
    checkpoints: Sequence[CheckpointRow],
    writes: Sequence[WriteRow],
    namespace: str = OWN_NAMESPACE,
) -> None:
    """Insert the rows under that ID; LangGraph's tables must exist."""
    parents = [None, *(checkpoint.id for checkpoint in checkpoints)]
    connection.executemany(
        "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id,"
        " type, checkpoint, metadata) VALUES (?, ?, ?, ?, 'msgpack', ?, ?)",
        [
            (thread_id, namespace, row.id, parent, compress_row(row.data), row.metadata)
            for row, parent in zip(checkpoints, parents, strict=False)
        ],
    )
    connection.executemany(
        "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,"
        " channel, type, value) VALUES (?, ?, ?, ?, ?, ?, ?, 'msgpack', ?)",
        [
            (thread_id, namespace, *write._replace(data=compress_row(write.data)))
            for write in writes
        ],
    )


def copy_thread_rows(connection: sqlite3.Connection, parent: str, last: str, fork: str) -> None:
    """Copy the checkpoint `last` of the thread `parent` and all before it to the thread `fork`.

    Calls that are open there stay with the parent.
    """
    parameters = {"thread": parent, "last": last, "fork": fork, "namespace": OWN_NAMESPACE}
    connection.execute(_COPY_CHECKPOINTS, parameters)
    connection.execute(_COPY_WRITES, parameters)


def copy_child_rows(connection: sqlite3.Connection, parent: str, namespace: str, fork: str) -> None:
    """Copy all rows of a child that has ended to the thread `fork`."""
    for query in _COPY_CHILD:
        connection.execute(query, {"thread": parent, "namespace": namespace, "fork": fork})


def delete_child_rows(connection: sqlite3.Connection, thread_id: str, namespace: str) -> None:
    """Delete a child's checkpoints and writes."""
    for table in TABLES:
        query = f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ?"
        connection.execute(query, (thread_id, namespace))


def delete_thread_rows(connection: sqlite3.Connection, thread_id: str) -> None:
    """Delete the checkpoints and writes of the thread and its children."""
    if has_tables(connection):
        for table in TABLES:
            connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread_id,))
