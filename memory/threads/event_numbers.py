"""Numbers of a thread's events, which are never used twice, also after a crash.

They are reserved in blocks, in a row of the thread in the journal: what a crashed process had
reserved is left out, and a client notices that the events between are no longer there.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..database.connection import connect, translate_sqlite_errors
from ..shared_connections import IdleConnections
from ..transaction import begin_transaction

# Numbers in a block
BLOCK = 1000
_READ = "SELECT result FROM journal WHERE thread_id = ? AND call_id = 'events'"
_LIST = "SELECT thread_id, result FROM journal WHERE call_id = 'events'"
_WRITE = """
    INSERT INTO journal (thread_id, call_id, tool, effectful, state, started_at, pid, result)
    VALUES (?, 'events', '', 0, 'started', '', 0, ?)
    ON CONFLICT (thread_id, call_id) DO UPDATE SET result = excluded.result
"""


class EventNumbers:
    """The numbers of all threads in one database; its methods block."""

    def __init__(self, path: Path) -> None:
        """Use a database that is prepared."""
        self._path = path
        self._connections = IdleConnections(path, connect)

    def reserve(self, thread_id: str) -> int:
        """Return the last number that may be in use, and reserve those of the next block."""
        facts = self._update(thread_id, lambda before: {"last": before.get("last", 0) + BLOCK})
        return facts["last"] - BLOCK

    def set_running(self, thread_id: str, is_running: bool) -> None:
        """Record whether a server runs the thread: after a crash it resumes it."""
        self._update(thread_id, lambda _: {"running": is_running})

    def list_running(self) -> list[str]:
        """Return the threads whose run a server had begun, and not ended."""
        with translate_sqlite_errors(self._path), self._connections.use() as connection:
            rows = connection.execute(_LIST).fetchall()
        return [thread_id for thread_id, stored in rows if _parse(stored).get("running")]

    def _update(
        self, thread_id: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        with (
            translate_sqlite_errors(self._path),
            self._connections.use() as connection,
            begin_transaction(connection),
        ):
            row = connection.execute(_READ, (thread_id,)).fetchone()
            before = _parse(row[0]) if row else {}
            facts = {**before, **change(before)}
            connection.execute(_WRITE, (thread_id, json.dumps(facts)))
        return facts


def _parse(stored: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(stored)
    return facts
