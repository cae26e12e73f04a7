"""The index of threads: a row for each, by which lists find their page without reading the rest.

Triggers mark the row of a thread that changes, in the same transaction. Who makes a list brings the
marked ones up to date first. The index of an older home is made by its first list. A database that
cannot be written, or whose pages have no room for more tables (`../database/migrations.py`), gets
one for the time of a connection.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

from ..checkpoints.index_triggers import MARK, create_triggers, has_triggers, mark_threads
from ..checkpoints.thread_facts import (
    ThreadFacts,
    read_facts,
    read_latest_time,
    read_values_with_request,
)
from ..database.connection import ReadOnlyConnection, is_busy
from ..transaction import begin_transaction, is_sqlite
from .record import ThreadRow, ThreadStatus, from_checkpoint, update_from_facts
from .rows import read_threads

# SQLite takes no larger number
MAX_ROWS = 2**63 - 1
_TABLE = """
    TABLE IF NOT EXISTS thread_index (
        thread_id TEXT PRIMARY KEY, stale INTEGER NOT NULL DEFAULT 1,
        folder TEXT NOT NULL DEFAULT '', graph TEXT NOT NULL DEFAULT '',
        status TEXT NOT NULL DEFAULT '', used_at TEXT NOT NULL DEFAULT '',
        facts TEXT NOT NULL DEFAULT ''
    )
"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS index_by_use ON thread_index (used_at)",
    "CREATE INDEX IF NOT EXISTS index_by_folder ON thread_index (folder, used_at)",
    "CREATE INDEX IF NOT EXISTS index_of_stale ON thread_index (thread_id) WHERE stale = 1",
)
_TRIGGERS = ("INSERT", "UPDATE", "DELETE")
_MARK_ROWS = (
    "INSERT INTO thread_index (thread_id) SELECT thread_id FROM threads WHERE true"
    " ON CONFLICT (thread_id) DO UPDATE SET stale = 1"
)
_UPDATE = (
    "UPDATE thread_index SET stale = 0, folder = :folder, graph = :graph, status = :status,"
    " used_at = :used_at, facts = :facts WHERE thread_id = :thread_id"
)
_STALE = "SELECT thread_id FROM thread_index WHERE stale = 1"
_LAST_USES = (
    "SELECT MAX(used_at) FROM thread_index",
    f"SELECT MAX(updated_at) FROM threads WHERE thread_id IN ({_STALE})",
)
_TICK = timedelta(microseconds=1)
# Which of them a thread is, its lease says
_UNCERTAIN: tuple[ThreadStatus, ThreadStatus] = ("running", "interrupted")
# Larger ones have room on their first page for the tables and triggers of the index
_SMALL_PAGE = 4096
_PORTION = 200
# Milliseconds that a list waits for who writes
_LOCK_WAIT = 500


class ListFilter(NamedTuple):
    """Which threads a list shows; empty: all."""

    folder: str = ""
    graph: str = ""
    status: ThreadStatus | None = None
    before: str = ""
    """ISO 8601: only those that were used last before it."""
    ids: Collection[str] | None = None


def prepare_index(connection: sqlite3.Connection) -> None:
    """Make the index where there is none yet; no transaction is open."""
    if not is_sqlite(connection) or _is_temporary(connection):
        return
    is_made = _can_keep_index(connection) and (
        _is_complete(connection) or _try_to_write(connection, partial(_create_index, connection))
    )
    if not is_made:
        _create_temporary(connection)


def _can_keep_index(connection: sqlite3.Connection) -> bool:
    if isinstance(connection, ReadOnlyConnection):
        return False
    return connection.execute("PRAGMA page_size").fetchone()[0] > _SMALL_PAGE


def _has_index(connection: sqlite3.Connection) -> bool:
    query = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'thread_index'"
    return bool(connection.execute(query).fetchone()[0])


def _is_complete(connection: sqlite3.Connection) -> bool:
    return _has_index(connection) and has_triggers(connection)


def _is_temporary(connection: sqlite3.Connection) -> bool:
    query = "SELECT COUNT(*) FROM sqlite_temp_schema WHERE name = 'thread_index'"
    return bool(connection.execute(query).fetchone()[0])


def _create_temporary(connection: sqlite3.Connection) -> None:
    """Make an index for the time of the connection, of the one that is there, if there is one."""
    is_complete = _is_complete(connection)
    connection.execute(f"CREATE TEMP {_TABLE}")
    if is_complete:
        connection.execute("INSERT INTO temp.thread_index SELECT * FROM main.thread_index")
    else:
        connection.execute(_MARK_ROWS)
        mark_threads(connection)


def _try_to_write(connection: sqlite3.Connection, write: Callable[[], None]) -> bool:
    """Write in a transaction; False if another process keeps the database locked: a list goes on.

    PostgreSQL leaves out the rows that are locked.
    """
    if not is_sqlite(connection):
        with begin_transaction(connection):
            write()
        return True
    (wait,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_LOCK_WAIT}")
    try:
        with begin_transaction(connection):
            write()
        return True
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {wait}")


def _create_index(connection: sqlite3.Connection) -> None:
    if not _has_index(connection):
        connection.execute(f"CREATE {_TABLE}")
        for statement in _INDEXES:
            connection.execute(statement)
        for event in _TRIGGERS:
            body = MARK.format(row="OLD" if event == "DELETE" else "NEW")
            name = f"mark_row_{event.lower()}"
            connection.execute(f"CREATE TRIGGER {name} AFTER {event} ON threads BEGIN {body} END")
        connection.execute(_MARK_ROWS)
    if not has_triggers(connection):
        create_triggers(connection)


def update_index(connection: sqlite3.Connection, ids: Collection[str] | None = None) -> None:
    """Bring marked rows up to date: those of these threads, or all. No transaction is open."""
    prepare_index(connection)
    last = ""
    while stale := _list_stale(connection, ids, last):
        if is_sqlite(connection) and _is_temporary(connection):
            _update_rows(connection, stale)
        elif not _try_to_write(connection, partial(_update_stale, connection, ids, last)):
            _create_temporary(connection)
            continue
        last = stale[-1]


def _update_stale(connection: sqlite3.Connection, ids: Collection[str] | None, last: str) -> None:
    # read again: another process may have done so, or changed one
    _update_rows(connection, _list_stale(connection, ids, last, locks=True))


def _list_stale(
    connection: sqlite3.Connection, ids: Collection[str] | None, last: str, *, locks: bool = False
) -> list[str]:
    """List the next marked threads; with a lock those that nobody writes at the moment."""
    query = "SELECT thread_id FROM thread_index WHERE stale = 1 AND thread_id > ?"
    values: list[object] = [last]
    if ids is not None:
        query += " AND thread_id IN (SELECT value FROM json_each(?))"
        values.append(json.dumps([*ids]))
    query += " ORDER BY thread_id LIMIT ?"
    if locks and not is_sqlite(connection):
        query += " FOR UPDATE SKIP LOCKED"
    return [id_ for (id_,) in connection.execute(query, (*values, _PORTION))]


def _update_rows(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    facts, rows = read_facts(connection, ids), read_threads(connection, ids)
    deleted = [(thread_id,) for thread_id in ids if thread_id not in {**facts, **rows}]
    connection.executemany("DELETE FROM thread_index WHERE thread_id = ?", deleted)
    updates = list[dict[str, str]]()
    for thread_id in {**facts, **rows}:
        fact = facts.get(thread_id)
        row = rows.get(thread_id) or build_row(connection, thread_id, fact or ThreadFacts())
        # whether it runs is asked when it is shown
        corrected = update_from_facts(row, fact, is_held=row.status == "running")
        updates.append(
            {
                "thread_id": thread_id,
                "folder": row.folder,
                "graph": row.graph,
                "status": corrected.status,
                "used_at": corrected.updated_at,
                "facts": json.dumps(asdict(fact)) if fact else "",
            }
        )
    connection.executemany(_UPDATE, updates)


def build_row(connection: sqlite3.Connection, thread_id: str, facts: ThreadFacts) -> ThreadRow:
    """Return a thread that only LangGraph's tables have."""
    return from_checkpoint(thread_id, facts, read_values_with_request(connection, thread_id))


def read_page(
    connection: sqlite3.Connection, chosen: ListFilter, limit: int | None = None
) -> dict[str, ThreadFacts | None]:
    """Return the threads of a page, the last used first, with the facts of each."""
    where, values = _build_condition(chosen)
    query = f"SELECT thread_id, facts FROM thread_index WHERE {where} ORDER BY used_at DESC"
    if limit is not None:
        query += " LIMIT ?"
        values.append(min(limit, MAX_ROWS))
    return {
        thread_id: ThreadFacts(**json.loads(facts)) if facts else None
        for thread_id, facts in connection.execute(query, values)
    }


def count_rows(connection: sqlite3.Connection, chosen: ListFilter) -> int:
    """Count the threads that a list without a limit would show."""
    where, values = _build_condition(chosen)
    query = f"SELECT COUNT(*) FROM thread_index WHERE {where}"
    return connection.execute(query, values).fetchone()[0]


def _build_condition(chosen: ListFilter) -> tuple[str, list[object]]:
    parts, values = list[str](), list[object]()
    if chosen.ids is None:  # a thread that was never read, since somebody writes it, has no place
        parts.append("stale = 0 OR used_at != ''")
    for column in ("folder", "graph"):
        if value := getattr(chosen, column):
            parts.append(f"{column} = ?")
            values.append(value)
    if chosen.status in _UNCERTAIN:
        parts.append("status IN (?, ?)")
        values += _UNCERTAIN
    elif chosen.status:
        parts.append("status = ?")
        values.append(chosen.status)
    if chosen.before:
        parts.append("used_at < ?")
        values.append(chosen.before)
    if chosen.ids is not None:
        parts.append("thread_id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps([*chosen.ids]))
    return " AND ".join(f"({part})" for part in parts), values


def list_folders(connection: sqlite3.Connection) -> list[str]:
    """List the folders of all threads, the last used first."""
    query = "SELECT folder FROM thread_index GROUP BY folder ORDER BY MAX(used_at) DESC"
    return [folder for (folder,) in connection.execute(query) if folder]


def find_ids(connection: sqlite3.Connection, text: str, prefix: int) -> list[str]:
    """Find threads by their ID or name, or by an ID that begins so, of `prefix` letters or more."""
    query = (
        "SELECT thread_id FROM thread_index WHERE thread_id = :text"
        " OR (:length >= :prefix AND SUBSTR(thread_id, 1, :length) = :text)"
        " UNION SELECT thread_id FROM threads WHERE name = :text"
    )
    values = {"text": text, "length": len(text), "prefix": prefix}
    return [id_ for (id_,) in connection.execute(query, values)]


def read_next_time(connection: sqlite3.Connection, moment: str = "") -> str:
    """Return the moment (default: now), or one just after the last use of any thread.

    ISO 8601, UTC; the order of these texts is that of the times.
    """
    proposed = moment or datetime.now(UTC).isoformat(timespec="microseconds")
    latest = _read_latest_use(connection)
    if latest < proposed:
        return proposed
    try:
        return (datetime.fromisoformat(latest) + _TICK).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):  # another program wrote it
        return proposed


def _read_latest_use(connection: sqlite3.Connection) -> str:
    """Return when any thread was used last; a transaction may be open."""
    if is_sqlite(connection) and not (_has_index(connection) and has_triggers(connection)):
        stored = connection.execute("SELECT MAX(updated_at) FROM threads").fetchone()[0] or ""
        return max(stored, read_latest_time(connection))
    stale = [id_ for (id_,) in connection.execute(_STALE)]
    # the rows that are up to date have both times
    times = [connection.execute(query).fetchone()[0] or "" for query in _LAST_USES]
    return max(*times, read_latest_time(connection, stale))
