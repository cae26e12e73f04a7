"""Facts of threads: their progress, whether they wait, and plain values of their state."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, cast

from .open_questions import read_open_questions
from .row_data import get_mapping, unpack_blob
from .tables import OWN_NAMESPACE, has_tables, parse_time

# Jump from thread to thread in the index, since DISTINCT would read every checkpoint.
_THREAD_IDS = """
    WITH RECURSIVE thread(id) AS (
        SELECT MIN(thread_id) FROM checkpoints
        UNION ALL
        SELECT (SELECT MIN(thread_id) FROM checkpoints WHERE thread_id > thread.id)
        FROM thread WHERE thread.id IS NOT NULL
    )
    SELECT id FROM thread WHERE id IS NOT NULL
"""
_LAST = (
    "SELECT checkpoint_id, metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)
_LATEST = _THREAD_IDS.replace(
    "SELECT id FROM thread",
    "SELECT (SELECT MAX(checkpoint_id) FROM checkpoints"
    " WHERE thread_id = thread.id AND checkpoint_ns = ?) FROM thread",
)
_BLOB = _LAST.replace("checkpoint_id, metadata", "checkpoint")
_FIRST = "SELECT MIN(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
_REQUEST = (
    "SELECT value FROM writes WHERE thread_id = ? AND checkpoint_ns = '' AND channel = 'request'"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)


# LangGraph's channels of what comes next: a node, the input, calls
_NEXT_NODE, _SENDS = "branch:to:", "__pregel_tasks"


@dataclass(frozen=True)
class ThreadFacts:
    """One thread according to its last checkpoint."""

    steps: int = 0
    """Model answers."""
    graph: str = ""
    questions: int = 0
    """Open ones; sub-agents may ask several at once. A limit counts as one."""
    is_pending: bool = False
    """Whether a node or a call comes next."""
    outcome: str = ""
    """How its job ended; empty while it runs."""
    created_at: str = ""
    updated_at: str = ""


def read_facts(connection: sqlite3.Connection) -> dict[str, ThreadFacts]:
    """Read the facts of every thread that has a checkpoint, by thread id."""
    if not has_tables(connection):
        return {}
    ids = [row[0] for row in connection.execute(_THREAD_IDS)]
    facts_by_thread = {thread_id: _read_thread_facts(connection, thread_id) for thread_id in ids}
    return {thread_id: facts for thread_id, facts in facts_by_thread.items() if facts}


def read_latest_time(connection: sqlite3.Connection) -> str:
    """Return when the newest checkpoint of all threads was made; empty: there is none."""
    if not has_tables(connection):
        return ""
    ids = connection.execute(_LATEST, (OWN_NAMESPACE,))
    return max((parse_time(row[0]) for row in ids if row[0]), default="")


def read_values(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> dict[str, Any]:
    """Read the plain values of a thread's or child's state; none before its first checkpoint."""
    return _read_values(connection, thread_id, namespace) if has_tables(connection) else {}


def _read_values(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> dict[str, Any]:
    row = connection.execute(_BLOB, (thread_id, namespace)).fetchone()
    return get_mapping(unpack_blob(row[0]), "channel_values") if row else {}


def read_values_with_request(connection: sqlite3.Connection, thread_id: str) -> dict[str, Any]:
    """Read the same with the last request, which is in the writes."""
    if not has_tables(connection):
        return {}
    row = connection.execute(_REQUEST, (thread_id,)).fetchone()
    request = {"request": unpack_blob(row[0])} if row else {}
    return request | _read_values(connection, thread_id)


def _read_thread_facts(connection: sqlite3.Connection, thread_id: str) -> ThreadFacts | None:
    last = connection.execute(_LAST, (thread_id, OWN_NAMESPACE)).fetchone()
    if last is None:
        return None
    first = connection.execute(_FIRST, (thread_id,)).fetchone()[0]
    metadata = _parse_metadata(last[1])
    values = _read_values(connection, thread_id)
    steps = values.get("steps")
    return ThreadFacts(
        steps=max(steps, 0) if isinstance(steps, int) else 0,
        graph=str(metadata.get("graph_id", "")),
        questions=len(read_open_questions(connection, thread_id, last[0])),
        is_pending=any(map(_is_pending, values.items())),
        outcome=str(values.get("outcome") or ""),
        created_at=parse_time(first),
        updated_at=parse_time(last[0]),
    )


def _is_pending(channel: tuple[str, object]) -> bool:
    """Return whether LangGraph's channel says that something comes next."""
    name, value = channel
    return name.startswith(_NEXT_NODE) or name == "__start__" or (name == _SENDS and bool(value))


def _parse_metadata(metadata: bytes | None) -> dict[str, Any]:
    try:
        parsed = json.loads(metadata or b"{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
