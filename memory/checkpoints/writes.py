"""Writes of a thread's nodes in order, as plain data; abandoned branches are not read."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from .row_data import extract_text, filter_mappings, unpack_blob, unpack_fields
from .tables import (
    CONVERSATION,
    OWN_NAMESPACE,
    STORY,
    has_tables,
    parse_time,
    read_conversation_ids,
)
from .task_path import parse_node

# LangGraph applies the writes in the same order.
_WRITES = (
    CONVERSATION
    + """
    SELECT checkpoint_id, task_path, channel, value
    FROM chain CROSS JOIN writes ON checkpoint_id = chain.id
    WHERE thread_id = :thread AND checkpoint_ns = :namespace AND type = 'msgpack'
        AND channel IN (SELECT value FROM json_each(:channels))
    ORDER BY checkpoint_id, task_path, task_id, idx
"""
)
_MESSAGES = (
    "SELECT value FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
    " AND channel = 'messages' AND type = 'msgpack' ORDER BY task_path, task_id, idx"
)
_CHANNELS = json.dumps([*STORY, "__interrupt__"])


@dataclass(frozen=True)
class ChannelWrite:
    """One value that a node wrote; each message separately."""

    at: str
    """When it was kept: ISO 8601, UTC."""
    node: str
    """Who wrote it: `__start__` is the human; `tools` a tool; empty: put in from outside."""
    channel: str
    value: Any
    """Plain data; of a message its fields, None where all messages before were replaced."""
    checkpoint_id: str
    """The checkpoint from which the node ran."""


def read_channel_writes(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> Iterator[ChannelWrite]:
    """Read the history of a thread or of a child; nothing before its first checkpoint."""
    if not has_tables(connection):
        return
    parameters = {"thread": thread_id, "namespace": namespace, "channels": _CHANNELS}
    ids = read_conversation_ids(connection, thread_id, namespace)
    next_ids = dict(zip(ids, [*ids[1:], ids[-1]], strict=True)) if ids else {}
    for checkpoint_id, path, channel, value in connection.execute(_WRITES, parameters):
        at = parse_time(next_ids[checkpoint_id])
        for channel_value in _unpack_values(channel, value):
            yield ChannelWrite(at, parse_node(path), channel, channel_value, checkpoint_id)


def read_last_text(connection: sqlite3.Connection, thread_id: str) -> str:
    """Return the text of the thread's last message; empty without one."""
    if not has_tables(connection):
        return ""
    for checkpoint_id in reversed(read_conversation_ids(connection, thread_id, OWN_NAMESPACE)):
        rows = connection.execute(_MESSAGES, (thread_id, OWN_NAMESPACE, checkpoint_id)).fetchall()
        values = [each for row in rows for each in _unpack_values("messages", row[0]) if each]
        if values:
            return extract_text(values[-1].get("content"))
    return ""


def _unpack_values(channel: str, value: bytes) -> list[Any]:
    """Return the values in one row."""
    unpacked = unpack_blob(value, unpack_fields)
    if channel == "messages" and _is_overwrite(unpacked):
        return [None]
    return (
        list(filter_mappings(unpacked)) if channel in ("messages", "__interrupt__") else [unpacked]
    )


def _is_overwrite(value: object) -> bool:
    return isinstance(value, dict) and cast("dict[str, Any]", value).get("type") == "__overwrite__"
