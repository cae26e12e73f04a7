"""Numbers of a thread's events, which are never used twice, also after a crash.

They are reserved in blocks, in a row of the thread in the journal: what a crashed process had
reserved is left out, and a client notices that the events between are no longer there.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..checkpoints.tables import read_last_id
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

    def set_running(
        self, thread_id: str, is_running: bool, message: Mapping[str, Any] | None = None
    ) -> None:
        """Record whether a server runs the thread: after a crash it resumes it.

        `message` is the user's message to the run, which the thread may not have yet.
        """
        self._update(thread_id, lambda _: {"running": is_running, "message": message})

    def list_running(self) -> dict[str, Mapping[str, Any] | None]:
        """Return the threads whose run a server had begun, and not ended, with its message."""
        with translate_sqlite_errors(self._path), self._connections.use() as connection:
            rows = connection.execute(_LIST).fetchall()
        facts = [(thread_id, _parse(stored)) for thread_id, stored in rows]
        return {thread_id: each.get("message") for thread_id, each in facts if each.get("running")}

    def read_last_checkpoint(self, thread_id: str) -> str:
        """Return the ID of the thread's last checkpoint: another one as soon as it goes on."""
        with translate_sqlite_errors(self._path), self._connections.use() as connection:
            return read_last_id(connection, thread_id)

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
