"""What a thread's nodes wrote, in order, as plain data read from LangGraph's tables; linear.

Only of the conversation as it is: what was left by going back is not among it.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ..database.checkpoint_queries import has_tables, parse_time, unpack_blob
from .messages import filter_mappings, unpack_fields

CHAIN = """
    WITH RECURSIVE chain(id) AS (
        SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = ''
        UNION
        SELECT parent_checkpoint_id FROM chain CROSS JOIN checkpoints ON checkpoint_id = chain.id
        WHERE thread_id = :thread AND checkpoint_ns = '' AND parent_checkpoint_id IS NOT NULL
    )
"""
"""The checkpoints of the conversation as it is; a ring ends, for nothing is taken twice."""
_IDS = CHAIN + " SELECT id FROM chain WHERE id IS NOT NULL ORDER BY id"
_WRITES = (
    CHAIN
    + """
    SELECT checkpoint_id, task_path, channel, value
    FROM chain CROSS JOIN writes ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = '' AND type = 'msgpack' AND channel
        IN ('request', 'messages', 'told', 'evidence', 'outcome', '__interrupt__')
    ORDER BY checkpoint_id, task_path, task_id, idx
"""
)
"""In the order in which LangGraph itself applies them."""
_PULLED, _PUSHED = "~__pregel_pull, ", "~__pregel_push, "
"""How LangGraph marks nodes that follow an edge, and those that were sent to."""


@dataclass(frozen=True)
class ChannelWrite:
    """One value that a node wrote; of messages each by itself."""

    at: str
    """When it was kept: ISO 8601, UTC."""
    node: str
    """Who wrote it: `__start__` is the human; `tools` a tool; empty: put in from outside."""
    channel: str
    value: Any
    """Plain data; of a message its fields, None where all messages before were replaced."""
    checkpoint_id: str
    """The checkpoint from which the node ran."""


def read_channel_writes(connection: sqlite3.Connection, thread_id: str) -> Iterator[ChannelWrite]:
    """Everything that tells the story of a thread; nothing before its first checkpoint."""
    if not has_tables(connection):
        return
    given = {"thread": thread_id}
    ids = [row[0] for row in connection.execute(_IDS, given)]
    kept = dict(zip(ids, [*ids[1:], ids[-1]], strict=True)) if ids else {}
    for checkpoint_id, path, channel, value in connection.execute(_WRITES, given):
        at = parse_time(kept[checkpoint_id])
        for one in _unpack_values(channel, value):
            yield ChannelWrite(at, _parse_node(path), channel, one, checkpoint_id)


def _parse_node(path: str) -> str:
    if path.startswith(_PULLED):
        return path.removeprefix(_PULLED)
    return "tools" if path.startswith(_PUSHED) else ""


def _unpack_values(channel: str, value: bytes) -> list[Any]:
    """What one row holds."""
    found = unpack_blob(value, unpack_fields)
    if channel == "messages" and _is_overwrite(found):
        return [None]
    return list(filter_mappings(found)) if channel in ("messages", "__interrupt__") else [found]


def _is_overwrite(found: object) -> bool:
    return isinstance(found, dict) and cast("dict[str, Any]", found).get("type") == "__overwrite__"
