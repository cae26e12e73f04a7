"""Facts of threads: their progress, whether they wait, and plain values of their state."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast

from .open_questions import count_open_questions
from .row_data import get_mapping, unpack_blob
from .tables import OWN_NAMESPACE, has_tables, parse_time, read_thread_ids

# Of each of the threads, by one way through the index
_LAST = """
    SELECT checkpoint_id FROM checkpoints WHERE thread_id = one.value AND checkpoint_ns = ''
    ORDER BY checkpoint_id DESC LIMIT 1
"""
_FACTS = f"""
    SELECT one.value, ({_LAST}), ({_LAST.replace("DESC", "ASC")}),
        ({_LAST.replace("SELECT checkpoint_id", "SELECT checkpoint")}),
        ({_LAST.replace("SELECT checkpoint_id", "SELECT metadata")})
    FROM json_each(?) AS one
"""
_LATEST = f"SELECT ({_LAST}) FROM json_each(?) AS one"
_BLOB = (
    "SELECT checkpoint FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)
_REQUEST = (
    "SELECT value, checkpoint_id FROM writes"
    " WHERE thread_id = ? AND checkpoint_ns = '' AND channel = 'request'"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)


# LangGraph's channels of what comes next: a node, the input, calls
_NEXT_NODE, _SENDS = "branch:to:", "__pregel_tasks"
# Threads that one query reads
_PORTION = 500


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


def read_facts(
    connection: sqlite3.Connection, ids: Collection[str] | None = None
) -> dict[str, ThreadFacts]:
    """Read the facts of these threads, or of all; one without a checkpoint has none."""
    if not has_tables(connection):
        return {}
    every = sorted(read_thread_ids(connection) if ids is None else ids)
    facts = dict[str, ThreadFacts]()
    for start in range(0, len(every), _PORTION):
        portion = every[start : start + _PORTION]
        questions = count_open_questions(connection, portion)
        rows = connection.execute(_FACTS, (json.dumps(portion),))
        for thread_id, last, first, blob, packed in rows:
            if last is not None:
                facts[thread_id] = _build_facts(last, first, blob, packed, questions[thread_id])
    return facts


def read_latest_time(connection: sqlite3.Connection, ids: Collection[str] | None = None) -> str:
    """Return when the newest checkpoint of these threads, or of all, was made; empty: none was."""
    if not has_tables(connection):
        return ""
    every = sorted(read_thread_ids(connection) if ids is None else ids)
    newest = connection.execute(_LATEST, (json.dumps(every),)).fetchall() if every else []
    return max((parse_time(row[0]) for row in newest if row[0]), default="")


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


def read_turn_start(connection: sqlite3.Connection, thread_id: str) -> str:
    """Return when the last request was made: ISO 8601, UTC; empty: none was."""
    if not has_tables(connection):
        return ""
    row = connection.execute(_REQUEST, (thread_id,)).fetchone()
    return parse_time(row[1]) if row else ""


def _build_facts(
    last: str, first: str, blob: object, packed: bytes | None, questions: int
) -> ThreadFacts:
    values = get_mapping(unpack_blob(blob), "channel_values")
    steps = values.get("steps")
    return ThreadFacts(
        steps=max(steps, 0) if isinstance(steps, int) else 0,
        graph=str(_parse_metadata(packed).get("graph_id", "")),
        questions=questions,
        is_pending=any(map(_is_pending, values.items())),
        outcome=str(values.get("outcome") or ""),
        created_at=parse_time(first),
        updated_at=parse_time(last),
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
