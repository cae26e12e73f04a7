"""The rows of threads in our own tables."""

import json
import sqlite3
from collections.abc import Collection
from pathlib import Path

from ...config.paths import ensure_data_folder, find_request_logs
from ...config.settings.early_settings import find_storage
from .record import ThreadRow, from_store, to_store
from .thread_id import is_thread_id

_HISTORY = """
    INSERT INTO file_history SELECT :fork, number, key, kind, tool, turn, reverted, before_tree,
        after_tree, changes, state, sure, created_at, left_alone, doubtful
    FROM file_history WHERE thread_id = :parent AND number <= :upto AND state = 'done'
"""


def read_threads(
    connection: sqlite3.Connection, ids: Collection[str] | None = None
) -> dict[str, ThreadRow]:
    """Read these threads, or all, by their ids."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    if ids is None:
        rows = cursor.execute("SELECT * FROM threads").fetchall()
    else:
        query = "SELECT * FROM threads WHERE thread_id IN (SELECT value FROM json_each(?))"
        rows = cursor.execute(query, (json.dumps([*ids]),)).fetchall()
    return {row["thread_id"]: from_store(row) for row in rows}


def insert_thread(connection: sqlite3.Connection, row: ThreadRow) -> None:
    """Insert a thread; raises sqlite3.IntegrityError if its id or name is taken."""
    stored = to_store(row)
    connection.execute(
        f"INSERT INTO threads ({', '.join(stored)})"
        f" VALUES ({', '.join(f':{column}' for column in stored)})",
        stored,
    )


def delete_thread(connection: sqlite3.Connection, thread_id: str) -> None:
    """Delete the thread with its journal and audit, file history, sub-agents and pull request."""
    connection.execute("DELETE FROM journal WHERE thread_id = ?", (thread_id,))
    connection.execute("DELETE FROM file_history WHERE thread_id = ?", (thread_id,))
    connection.execute("DELETE FROM sub_runs WHERE thread_id = ?", (thread_id,))
    connection.execute("DELETE FROM pull_requests WHERE thread_id = ?", (thread_id,))
    connection.execute("DELETE FROM threads WHERE thread_id = ?", (thread_id,))


def delete_records(home: Path, thread_id: str) -> None:
    """Delete the logs and the files of the audit of a thread, and what other machines find."""
    if storage := find_storage(home):
        from ..snapshots.shared_storage import delete_shared

        delete_shared(storage, thread_id)
    for log in find_request_logs(home, thread_id):
        log.unlink(missing_ok=True)
    if is_thread_id(thread_id):
        for file in (ensure_data_folder(home) / "audit").glob(f"{thread_id}.*"):
            file.unlink(missing_ok=True)


def copy_history(connection: sqlite3.Connection, parent: str, upto: int, fork: str) -> None:
    """Copy the parent's file history up to that entry to the fork."""
    connection.execute(_HISTORY, {"parent": parent, "upto": upto, "fork": fork})
