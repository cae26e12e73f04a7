"""What LangGraph's own tables tell of threads, by SQL alone: how far each is, if it waits."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from .row_compression import expand_row

STORY = ("request", "messages", "told", "evidence", "outcome")
"""The channels whose writes tell the story of a thread; they are kept for good."""
_THREAD_IDS = """
    WITH RECURSIVE thread(id) AS (
        SELECT MIN(thread_id) FROM checkpoints
        UNION ALL
        SELECT (SELECT MIN(thread_id) FROM checkpoints WHERE thread_id > thread.id)
        FROM thread WHERE thread.id IS NOT NULL
    )
    SELECT id FROM thread WHERE id IS NOT NULL
"""
"""Steps from thread to thread in the index: the number of checkpoints does not matter."""
_LAST = (
    "SELECT checkpoint_id, metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)
_BLOB = _LAST.replace("checkpoint_id, metadata", "checkpoint")
_FIRST = "SELECT MIN(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
_REQUEST = (
    "SELECT value FROM writes WHERE thread_id = ? AND checkpoint_ns = '' AND channel = 'request'"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)
_WAITS = (
    "SELECT EXISTS (SELECT 1 FROM writes WHERE thread_id = ? AND checkpoint_ns = ''"
    " AND checkpoint_id = ? AND channel = '__interrupt__')"
)


@dataclass(frozen=True)
class ThreadFacts:
    """One thread, seen through its last checkpoint."""

    steps: int = 0
    """Model answers."""
    graph: str = ""
    waiting: bool = False
    created_at: str = ""
    updated_at: str = ""


def read_facts(connection: sqlite3.Connection) -> dict[str, ThreadFacts]:
    """The facts of every thread that has a checkpoint, by thread id."""
    if not has_tables(connection):
        return {}
    ids = [row[0] for row in connection.execute(_THREAD_IDS)]
    found = {thread_id: _read_thread_facts(connection, thread_id) for thread_id in ids}
    return {thread_id: facts for thread_id, facts in found.items() if facts}


def read_values(connection: sqlite3.Connection, thread_id: str) -> dict[str, Any]:
    """The plain values in the thread's last checkpoint, such as where it stands.

    Nothing but numbers, texts, lists and mappings is built, whatever the row says.
    """
    found = connection.execute(_BLOB, (thread_id,)).fetchone()
    return get_mapping(unpack_blob(found[0]), "channel_values") if found else {}


def read_values_with_request(connection: sqlite3.Connection, thread_id: str) -> dict[str, Any]:
    """The same with what the thread was asked last, which is in the writes."""
    found = connection.execute(_REQUEST, (thread_id,)).fetchone()
    asked = {"request": unpack_blob(found[0])} if found else {}
    return asked | read_values(connection, thread_id)


def unpack_blob(blob: object, other: Callable[[bytes], object] = lambda data: None) -> object:
    """A row's plain data, with what `other` makes of everything else; None if it is damaged."""
    import ormsgpack

    try:
        data = expand_row(cast(bytes, blob))
        return ormsgpack.unpackb(data, ext_hook=lambda code, data: other(data))
    except (TypeError, ValueError):
        return None


def get_mapping(mapping: object, key: str) -> dict[str, Any]:
    """The mapping under that key, if there is one."""
    found = cast("dict[str, Any]", mapping).get(key) if isinstance(mapping, dict) else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def read_sizes(connection: sqlite3.Connection) -> dict[str, int]:
    """Bytes of each thread's checkpoints and writes."""
    found: dict[str, int] = {}
    for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
        query = f"SELECT thread_id, SUM(LENGTH({column})) FROM {table} GROUP BY thread_id"
        for thread_id, size in connection.execute(query):
            found[thread_id] = found.get(thread_id, 0) + (size or 0)
    return found


def delete_checkpoints(connection: sqlite3.Connection, thread_id: str) -> None:
    """Delete the thread's checkpoints and writes."""
    if has_tables(connection):
        connection.execute("DELETE FROM checkpoints WHERE thread_id = ?", (thread_id,))
        connection.execute("DELETE FROM writes WHERE thread_id = ?", (thread_id,))


def has_tables(connection: sqlite3.Connection) -> bool:
    """LangGraph makes its tables when the first run begins, both at once."""
    query = "SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('checkpoints', 'writes')"
    return connection.execute(query).fetchone()[0] == 2


def _read_thread_facts(connection: sqlite3.Connection, thread_id: str) -> ThreadFacts | None:
    last = connection.execute(_LAST, (thread_id,)).fetchone()
    if last is None:
        return None
    first = connection.execute(_FIRST, (thread_id,)).fetchone()[0]
    metadata = _parse_metadata(last[1])
    steps = read_values(connection, thread_id).get("steps")
    return ThreadFacts(
        steps=max(steps, 0) if isinstance(steps, int) else 0,
        graph=str(metadata.get("graph_id", "")),
        waiting=bool(connection.execute(_WAITS, (thread_id, last[0])).fetchone()[0]),
        created_at=parse_time(first),
        updated_at=parse_time(last[0]),
    )


def _parse_metadata(metadata: bytes | None) -> dict[str, Any]:
    try:
        parsed = json.loads(metadata or b"{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def parse_time(checkpoint_id: str) -> str:
    """When a checkpoint was made."""
    try:
        since = timedelta(microseconds=parse_ticks(checkpoint_id) // 10)
        moment = datetime(1582, 10, 15, tzinfo=UTC) + since
    except (ValueError, OverflowError):
        return ""
    return moment.isoformat(timespec="microseconds")


def parse_ticks(checkpoint_id: str) -> int:
    """The time in the id, a UUID of version 6, in units of 100 ns; raises ValueError."""
    digits = checkpoint_id.replace("-", "")
    return int(digits[:12] + digits[13:16], 16)
