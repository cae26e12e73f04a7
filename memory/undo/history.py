"""File history of a thread: changes by tools, commands, others and restores, in order.

A checkpoint stores the number of the last entry (`State.file_entry`), so every point of the
conversation is also a point of this history. Entries are only added: a restore adds one as well, so
it can be undone too.
"""

import json
import sqlite3
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ..database.connection import connect, prepare_database, translate_sqlite_errors
from ..shared_connections import IdleConnections
from ..snapshots.file_version import ABSENT, FileVersion, PathChange
from ..transaction import begin_thread_write

# tool: a tool wrote the files that it names · shell: a command ran · merge: changes of a worktree
# came in · others: changed while no step of the thread ran · the rest: files were restored.
HistoryKind = Literal["tool", "shell", "merge", "others", "undo", "redo", "rewind"]
RESTORES = ("undo", "redo", "rewind")
# Their entry has the whole plan before the first file is written, so a killed one can be finished
PLANNED = (*RESTORES, "merge")
_INSERT = (
    "INSERT INTO file_history SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?,"
    " ?, ?, ?, ?, ?, 1, ?, ?, '[]' FROM file_history WHERE thread_id = ?"
)
_CLAIMS = (
    "SELECT other.* FROM {0} CROSS JOIN {1} ON threads.thread_id = other.thread_id"
    " CROSS JOIN file_history AS mine ON mine.thread_id = :thread AND mine.number = :number"
    " WHERE other.thread_id != :thread AND other.kind != 'others' AND other.sure = 1"
    " AND other.key != mine.key"
    " AND folder = (SELECT folder FROM threads WHERE thread_id = :thread)"
)
# CROSS: read the few later entries first, not all threads of the folder
_CLAIMS_SINCE = (
    _CLAIMS.format("file_history AS other", "threads")
    + " AND other.rowid > (SELECT rowid FROM file_history"
    " WHERE thread_id = :thread AND number = :number)"
)
# Without the end of a call in the journal nobody knows what ran beside it: it claims nothing
_END = "(SELECT finished_at FROM journal WHERE thread_id = {0}.thread_id AND call_id = {0}.key)"
_CLAIMS_BESIDE = (
    _CLAIMS.format("threads", "file_history AS other") + " AND other.state = 'done'"
    f" AND other.created_at <= {_END.format('mine')} AND mine.created_at <= {_END.format('other')}"
)


@dataclass(frozen=True)
class HistoryEntry:
    """One change of a thread's files."""

    number: int
    """From 1, growing within its thread."""
    key: str
    """ID of the call or of the restore: the same key is the same entry."""
    kind: HistoryKind
    tool: str
    """Name of the tool that ran; empty if none did."""
    turn: int
    """Number of the user's requests so far, from 1."""
    before: str
    """Snapshot of the workspace before."""
    after: str
    """Snapshot of the workspace after; empty while the entry is `started`."""
    changes: tuple[PathChange, ...]
    """The change of each file. For a restore that is `started`: the planned change."""
    reverted: tuple[int, ...]
    """Numbers of the entries that a restore reverted."""
    state: Literal["started", "done"]
    sure: bool
    """False if the process died meanwhile: the changes may include those of others."""
    created_at: str
    """ISO 8601, UTC."""
    skipped: frozenset[str] = frozenset()
    """Files that a restore skipped: it reverted nothing in them."""
    doubtful: frozenset[str] = frozenset()
    """Files that changed while a command ran, and that others may have changed."""


class FileHistory:
    """The histories of all threads of one database; its methods block for about a millisecond."""

    def __init__(self, path: Path) -> None:
        """Open the history in the database; create or migrate the database first."""
        prepare_database(path)
        self._path = path
        self._connections = IdleConnections(path, connect)

    def begin_entry(
        self,
        thread_id: str,
        key: str,
        kind: HistoryKind,
        *,
        before: str,
        turn: int,
        tool: str = "",
        changes: Sequence[PathChange] = (),
        reverted: Sequence[int] = (),
        left: Collection[str] = (),
    ) -> HistoryEntry:
        """Record an entry before its files change; restarting an unfinished one makes it unsure."""
        with self._begin_write(thread_id) as connection:
            query = (
                "UPDATE file_history SET sure = CASE state WHEN 'done' THEN sure ELSE 0 END"
                " WHERE thread_id = ? AND key = ?"
            )
            if not connection.execute(query, (thread_id, key)).rowcount:
                connection.execute(
                    _INSERT,
                    (thread_id, key, kind, tool, turn, json.dumps(list(reverted)), before, "")
                    + (_pack_changes(changes), "started", _format_now())
                    + (json.dumps(sorted(left)), thread_id),
                )
            return _to_entry(_read_row(connection, thread_id, key))

    def finish_entry(
        self,
        thread_id: str,
        key: str,
        *,
        after: str,
        changes: Sequence[PathChange],
        sure: bool = True,
        reverted: Sequence[int] = (),
        left: Collection[str] = (),
        doubtful: Collection[str] = (),
    ) -> HistoryEntry | None:
        """Record what changed; delete an entry that changed nothing and return None.

        `reverted` are the entries that a restore reverted, except for the files that it `left`
        alone; such an entry is kept even if it changed nothing. `doubtful` are files that others
        may have changed.
        """
        with self._begin_write(thread_id) as connection:
            if not changes and not reverted:
                query = "DELETE FROM file_history WHERE thread_id = ? AND key = ?"
                connection.execute(query, (thread_id, key))
                return None
            connection.execute(
                "UPDATE file_history SET state = 'done', after_tree = ?, changes = ?,"
                " sure = sure * ?, reverted = ?, left_alone = ?, doubtful = ?"
                " WHERE thread_id = ? AND key = ?",
                (after, _pack_changes(changes), int(sure), json.dumps(list(reverted)))
                + (json.dumps(sorted(left)), json.dumps(sorted(doubtful)), thread_id, key),
            )
            return _to_entry(_read_row(connection, thread_id, key))

    def record_entry(
        self,
        thread_id: str,
        key: str,
        kind: HistoryKind,
        *,
        before: str,
        after: str,
        turn: int,
        changes: Sequence[PathChange],
    ) -> None:
        """Record changes that have already happened, if there are any: wholly or not at all."""
        if not changes:
            return
        with self._begin_write(thread_id) as connection:
            connection.execute(
                _INSERT,
                (thread_id, key, kind, "", turn, "[]", before, after)
                + (_pack_changes(changes), "done", _format_now(), "[]", thread_id),
            )

    def list_entries(self, thread_id: str, after: int = 0) -> list[HistoryEntry]:
        """Return the thread's entries with a number above `after`, in order; `started` ones too."""
        with self._begin_read() as connection:
            query = "SELECT * FROM file_history WHERE thread_id = ? AND number > ? ORDER BY number"
            return [_to_entry(row) for row in connection.execute(query, (thread_id, after))]

    def get_last_entry(self, thread_id: str) -> HistoryEntry | None:
        with self._begin_read() as connection:
            query = "SELECT * FROM file_history WHERE thread_id = ? ORDER BY number DESC LIMIT 1"
            row = connection.execute(query, (thread_id,)).fetchone()
            return _to_entry(row) if row else None

    def find_claims_since(
        self, entry: HistoryEntry, thread_id: str
    ) -> set[tuple[str, FileVersion]]:
        """Return what the folder's other threads surely wrote since the entry started."""
        return self._read_claims(_CLAIMS_SINCE, entry, thread_id)

    def find_claims(self, entry: HistoryEntry, thread_id: str) -> set[tuple[str, FileVersion]]:
        """Return what calls of the folder's other threads surely wrote while the entry's ran."""
        return self._read_claims(_CLAIMS_BESIDE, entry, thread_id)

    def _read_claims(
        self, query: str, entry: HistoryEntry, thread_id: str
    ) -> set[tuple[str, FileVersion]]:
        with self._begin_read() as connection:
            parameters = {"thread": thread_id, "number": entry.number}
            entries = [_to_entry(row) for row in connection.execute(query, parameters)]
        return {
            (change.path, change.new)
            for entry in entries
            for change in entry.changes
            if change.path not in entry.doubtful
        }

    def find_running_commands(self, thread_id: str) -> set[str]:
        """Return the folder's other threads with an unfinished command, killed or running."""
        query = (
            "SELECT DISTINCT thread_id FROM file_history JOIN threads USING (thread_id)"
            " WHERE thread_id != :thread AND kind = 'shell' AND state = 'started'"
            " AND folder = (SELECT folder FROM threads WHERE thread_id = :thread)"
        )
        with self._begin_read() as connection:
            return {row[0] for row in connection.execute(query, {"thread": thread_id})}

    def find_commands_since(self, thread_id: str, entry: HistoryEntry) -> set[str]:
        """Return the folder's other threads with a command that started after the entry."""
        query = (
            "SELECT DISTINCT other.thread_id FROM file_history AS other"
            " CROSS JOIN threads USING (thread_id)"
            " WHERE other.thread_id != :thread AND other.kind = 'shell'"
            " AND other.rowid > (SELECT rowid FROM file_history"
            " WHERE thread_id = :thread AND number = :number)"
            " AND folder = (SELECT folder FROM threads WHERE thread_id = :thread)"
        )
        with self._begin_read() as connection:
            parameters = {"thread": thread_id, "number": entry.number}
            return {row[0] for row in connection.execute(query, parameters)}

    def find_restored_threads(self, threads: Collection[str]) -> set[str]:
        """Return those of the threads with no changes since their last undo or rewind."""
        with self._begin_read() as connection:
            query = (
                "SELECT one.value, (SELECT kind FROM file_history WHERE thread_id = one.value"
                " AND kind != 'others' AND state = 'done' ORDER BY number DESC LIMIT 1)"
                " FROM json_each(?) AS one"
            )
            rows = connection.execute(query, (json.dumps([*threads]),)).fetchall()
            return {row[0] for row in rows if row[1] in ("undo", "rewind")}

    def find_last_restores(self, threads: Collection[str]) -> dict[str, int]:
        """Return the number of the last undo, redo or rewind of those threads that have one."""
        query = (
            "SELECT thread_id, MAX(number) FROM file_history WHERE kind IN ('undo', 'redo',"
            " 'rewind') AND thread_id IN (SELECT value FROM json_each(?)) GROUP BY thread_id"
        )
        with self._begin_read() as connection:
            rows = connection.execute(query, (json.dumps([*threads]),)).fetchall()
            return {thread_id: number for thread_id, number in rows}

    @contextmanager
    def _begin_read(self) -> Generator[sqlite3.Connection]:
        with translate_sqlite_errors(self._path), self._connections.use() as connection:
            connection.row_factory = sqlite3.Row
            yield connection

    @contextmanager
    def _begin_write(self, thread_id: str) -> Generator[sqlite3.Connection]:
        with (
            self._begin_read() as connection,
            begin_thread_write(connection, self._path, thread_id),
        ):
            yield connection


def _read_row(connection: sqlite3.Connection, thread_id: str, key: str) -> sqlite3.Row:
    query = "SELECT * FROM file_history WHERE thread_id = ? AND key = ?"
    return connection.execute(query, (thread_id, key)).fetchone()


def _to_entry(row: sqlite3.Row) -> HistoryEntry:
    return HistoryEntry(
        number=row["number"],
        key=row["key"],
        kind=row["kind"],
        tool=row["tool"],
        turn=row["turn"],
        before=row["before_tree"],
        after=row["after_tree"],
        changes=_unpack_changes(row["changes"]),
        reverted=tuple(json.loads(row["reverted"])),
        state=row["state"],
        sure=bool(row["sure"]),
        created_at=row["created_at"],
        skipped=frozenset(json.loads(row["left_alone"])),
        doubtful=_parse_doubtful(row),
    )


def _parse_doubtful(row: sqlite3.Row) -> frozenset[str]:
    """Return the doubtful files; older MaxAgents recorded none, so all new files are doubtful."""
    if row["doubtful"] is not None:
        return frozenset(json.loads(row["doubtful"]))
    if row["kind"] != "shell":
        return frozenset()
    return frozenset(c.path for c in _unpack_changes(row["changes"]) if c.old == ABSENT)


def _unpack_changes(packed: str) -> tuple[PathChange, ...]:
    read = json.loads(packed)
    return tuple(PathChange(path, FileVersion(*old), FileVersion(*new)) for path, old, new in read)


def _pack_changes(changes: Sequence[PathChange]) -> str:
    """Pack changes as JSON, whose escapes keep paths that are not valid UTF-8."""
    return json.dumps(
        [[change.path, _to_list(change.old), _to_list(change.new)] for change in changes]
    )


def _to_list(version: FileVersion) -> list[str | int]:
    permissions = [] if version.permissions is None else [version.permissions]
    return [version.mode, version.blob, *permissions]


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
