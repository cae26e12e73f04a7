"""Repair of LangGraph's tables after rows were lost."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from .row_data import unpack_blob

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS checkpoints (
        thread_id TEXT NOT NULL,
        checkpoint_ns TEXT NOT NULL DEFAULT '',
        checkpoint_id TEXT NOT NULL,
        parent_checkpoint_id TEXT,
        type TEXT,
        checkpoint BLOB,
        metadata BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
    );
    CREATE TABLE IF NOT EXISTS writes (
        thread_id TEXT NOT NULL,
        checkpoint_ns TEXT NOT NULL DEFAULT '',
        checkpoint_id TEXT NOT NULL,
        task_id TEXT NOT NULL,
        task_path TEXT NOT NULL DEFAULT '',
        idx INTEGER NOT NULL,
        channel TEXT NOT NULL,
        type TEXT,
        value BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
    );
"""
_PACKED = {"checkpoints": "checkpoint", "writes": "value"}
_GAPS = """
    SELECT DISTINCT child.thread_id, child.parent_checkpoint_id
    FROM checkpoints AS child LEFT JOIN checkpoints AS parent
        ON parent.thread_id = child.thread_id AND parent.checkpoint_ns = child.checkpoint_ns
        AND parent.checkpoint_id = child.parent_checkpoint_id
    WHERE child.checkpoint_ns = '' AND child.parent_checkpoint_id IS NOT NULL
        AND parent.checkpoint_id IS NULL
"""
# Writes of a lost checkpoint may still exist. So the checkpoint before it replaces it: the last one
# that has no child now.
_FILL = """
    INSERT INTO checkpoints
    SELECT thread_id, '', :gap, checkpoint_id, type, checkpoint, metadata FROM checkpoints
    WHERE thread_id = :thread AND checkpoint_ns = '' AND checkpoint_id < :gap
    ORDER BY checkpoint_id IN (
        SELECT parent_checkpoint_id FROM checkpoints WHERE thread_id = :thread
            AND checkpoint_ns = '' AND parent_checkpoint_id IS NOT NULL
    ), checkpoint_id DESC LIMIT 1
"""


def create_tables(connection: sqlite3.Connection) -> None:
    """Create LangGraph's tables as its first run does."""
    connection.executescript(_SCHEMA)


def is_sound_row(table: str, values: Mapping[str, Any]) -> bool:
    """Whether the row's data can be unpacked; rows of other tables always are."""
    if table not in _PACKED or values.get("type") != "msgpack":
        return True
    return unpack_blob(values.get(_PACKED[table])) is not None


def fill_lost_checkpoints(connection: sqlite3.Connection) -> set[str]:
    """Replace lost checkpoints by the one before; return the threads that lost some."""
    gaps = connection.execute(_GAPS).fetchall()
    for thread, gap in gaps:
        connection.execute(_FILL, {"thread": thread, "gap": gap})
    return {thread for thread, _ in gaps}
