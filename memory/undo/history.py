"""What happened to a thread's files, in order: by tools, by commands, by others, by undoing.

A checkpoint remembers the number of the last entry (`State.file_entry`), so every point of the
conversation is also a point of this history. Entries are only added: undoing adds one as well, and
can therefore be undone itself.
"""

import json
import sqlite3
from collections.abc import Collection, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ..database.connection import connect, explained, immediate, prepare
from ..snapshots.file_version import ABSENT, Change, Version

Kind = Literal["tool", "shell", "others", "undo", "redo", "rewind"]
"""tool: a tool wrote the files that it names · shell: a command ran · others: changed while no step
of the thread ran · the rest: files were put back."""
RESTORES = ("undo", "redo", "rewind")


@dataclass(frozen=True)
class Entry:
    """One change of a thread's files."""

    number: int
    """From 1, growing within its thread."""
    key: str
    """Id of the call or of the restore: the same key is the same entry."""
    kind: Kind
    tool: str
    """Name of the tool that ran; empty where none did."""
    turn: int
    """How often the human had asked for something by then, from 1."""
    before: str
    """Snapshot of the workspace before."""
    after: str
    """And after; empty while the entry is `started`."""
    changes: tuple[Change, ...]
    """What it did to each file. Of a restore that is `started`: what it means to do."""
    reverted: tuple[int, ...]
    """Numbers of the entries that a restore took back."""
    state: Literal["started", "done"]
    sure: bool
    """False when the process died meanwhile: changes of others may be among these."""
    created_at: str
    """ISO 8601, UTC."""
    left: frozenset[str] = frozenset()
    """Files that a restore left alone: in them it took nothing back."""
    doubtful: frozenset[str] = frozenset()
    """Files that changed while a command ran, and that may have been changed by others."""


class FileHistory:
    """The histories of all threads of one database; its methods block for about a millisecond."""

    def __init__(self, path: Path) -> None:
        """Open the history in the database, which is made ready first."""
        prepare(path)
        self._path = path

    def begin(
        self,
        thread_id: str,
        key: str,
        kind: Kind,
        *,
        before: str,
        turn: int,
        tool: str = "",
        changes: Sequence[Change] = (),
        reverted: Sequence[int] = (),
        left: Collection[str] = (),
    ) -> Entry:
        """Put an entry on record before its files change; one begun and not finished is unsure."""
        with self._writing() as connection:
            query = (
                "UPDATE file_history SET sure = sure AND state = 'done'"
                " WHERE thread_id = ? AND key = ?"
            )
            if not connection.execute(query, (thread_id, key)).rowcount:
                connection.execute(
                    "INSERT INTO file_history SELECT ?, COALESCE(MAX(number), 0) + 1, ?, ?, ?, ?,"
                    " ?, ?, '', ?, 'started', 1, ?, ?, '[]' FROM file_history WHERE thread_id = ?",
                    (thread_id, key, kind, tool, turn, json.dumps(list(reverted)), before)
                    + (_packed(changes), _now(), json.dumps(sorted(left)), thread_id),
                )
            return _entry(_row(connection, thread_id, key))

    def finish(
        self,
        thread_id: str,
        key: str,
        *,
        after: str,
        changes: Sequence[Change],
        sure: bool = True,
        reverted: Sequence[int] = (),
        left: Collection[str] = (),
        doubtful: Collection[str] = (),
    ) -> Entry | None:
        """Record what became of the files; an entry that changed nothing is dropped: None.

        `reverted` are the entries that a restore has taken back, which may have changed nothing,
        but for the files that it `left` alone. `doubtful` are files that others may have changed.
        """
        with self._writing() as connection:
            if not changes and not reverted:
                query = "DELETE FROM file_history WHERE thread_id = ? AND key = ?"
                connection.execute(query, (thread_id, key))
                return None
            connection.execute(
                "UPDATE file_history SET state = 'done', after_tree = ?, changes = ?,"
                " sure = sure AND ?, reverted = ?, left_alone = ?, doubtful = ?"
                " WHERE thread_id = ? AND key = ?",
                (after, _packed(changes), sure, json.dumps(list(reverted)))
                + (json.dumps(sorted(left)), json.dumps(sorted(doubtful)), thread_id, key),
            )
            return _entry(_row(connection, thread_id, key))

    def record(
        self,
        thread_id: str,
        key: str,
        kind: Kind,
        *,
        before: str,
        after: str,
        turn: int,
        changes: Sequence[Change],
    ) -> None:
        """Record at once what has happened already; nothing when nothing changed."""
        self.begin(thread_id, key, kind, before=before, turn=turn, changes=changes)
        self.finish(thread_id, key, after=after, changes=changes)

    def entries(self, thread_id: str, after: int = 0) -> list[Entry]:
        """The thread's entries with a greater number, in order; `started` ones too."""
        with self._reading() as connection:
            query = "SELECT * FROM file_history WHERE thread_id = ? AND number > ? ORDER BY number"
            return [_entry(row) for row in connection.execute(query, (thread_id, after))]

    def last(self, thread_id: str) -> Entry | None:
        """The thread's last entry."""
        with self._reading() as connection:
            query = "SELECT * FROM file_history WHERE thread_id = ? ORDER BY number DESC LIMIT 1"
            row = connection.execute(query, (thread_id,)).fetchone()
            return _entry(row) if row else None

    def others_since(self, entry: Entry, thread_id: str) -> set[tuple[str, Version]]:
        """What the folder's other threads surely made of files since the entry began."""
        return self._claims(thread_id, entry.number)

    def of_others(self, thread_id: str) -> set[tuple[str, Version]]:
        """What the folder's other threads surely made of files, ever."""
        return self._claims(thread_id, 0)

    def _claims(self, thread_id: str, since: int) -> set[tuple[str, Version]]:
        query = (
            # CROSS: the few entries that are younger first, not all of the folder's threads
            "SELECT other.* FROM file_history AS other CROSS JOIN threads USING (thread_id)"
            " WHERE other.thread_id != :thread AND other.kind != 'others'"
            " AND other.rowid > COALESCE((SELECT rowid FROM file_history"
            " WHERE thread_id = :thread AND number = :since), 0)"
            " AND folder = (SELECT folder FROM threads WHERE thread_id = :thread)"
        )
        with self._reading() as connection:
            rows = connection.execute(query, {"thread": thread_id, "since": since})
            entries = [_entry(row) for row in rows]
        return {
            (change.path, change.new)
            for entry in entries
            for change in entry.changes
            if change.path not in entry.doubtful
        }

    def commands_running(self, thread_id: str) -> set[str]:
        """The folder's other threads with a command that has not finished, killed or not."""
        query = (
            "SELECT DISTINCT thread_id FROM file_history JOIN threads USING (thread_id)"
            " WHERE thread_id != :thread AND kind = 'shell' AND state = 'started'"
            " AND folder = (SELECT folder FROM threads WHERE thread_id = :thread)"
        )
        with self._reading() as connection:
            return {row[0] for row in connection.execute(query, {"thread": thread_id})}

    def commands_since(self, thread_id: str, entry: Entry) -> set[str]:
        """The folder's other threads with a command that began after the entry."""
        query = (
            "SELECT DISTINCT other.thread_id FROM file_history AS other"
            " CROSS JOIN threads USING (thread_id)"
            " WHERE other.thread_id != :thread AND other.kind = 'shell'"
            " AND other.rowid > (SELECT rowid FROM file_history"
            " WHERE thread_id = :thread AND number = :number)"
            " AND folder = (SELECT folder FROM threads WHERE thread_id = :thread)"
        )
        with self._reading() as connection:
            given = {"thread": thread_id, "number": entry.number}
            return {row[0] for row in connection.execute(query, given)}

    def put_back(self) -> set[str]:
        """The threads that did nothing since their files were last put back, by undo or rewind."""
        with self._reading() as connection:
            query = (
                "SELECT thread_id, kind, MAX(number) FROM file_history"
                " WHERE kind != 'others' AND state = 'done' GROUP BY thread_id"
            )
            return {row[0] for row in connection.execute(query) if row[1] in ("undo", "rewind")}

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with explained(self._path), closing(connect(self._path)) as connection:
            connection.row_factory = sqlite3.Row
            yield connection

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._reading() as connection, immediate(connection):
            yield connection


def _row(connection: sqlite3.Connection, thread_id: str, key: str) -> sqlite3.Row:
    query = "SELECT * FROM file_history WHERE thread_id = ? AND key = ?"
    return connection.execute(query, (thread_id, key)).fetchone()


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(
        number=row["number"],
        key=row["key"],
        kind=row["kind"],
        tool=row["tool"],
        turn=row["turn"],
        before=row["before_tree"],
        after=row["after_tree"],
        changes=_unpacked(row["changes"]),
        reverted=tuple(json.loads(row["reverted"])),
        state=row["state"],
        sure=bool(row["sure"]),
        created_at=row["created_at"],
        left=frozenset(json.loads(row["left_alone"])),
        doubtful=_doubtful(row),
    )


def _doubtful(row: sqlite3.Row) -> frozenset[str]:
    """Of an entry of an older MaxAgent all new files: whose they are it did not record."""
    if row["doubtful"] is not None:
        return frozenset(json.loads(row["doubtful"]))
    if row["kind"] != "shell":
        return frozenset()
    return frozenset(c.path for c in _unpacked(row["changes"]) if c.old == ABSENT)


def _unpacked(packed: str) -> tuple[Change, ...]:
    read = json.loads(packed)
    return tuple(Change(path, Version(*old), Version(*new)) for path, old, new in read)


def _packed(changes: Sequence[Change]) -> str:
    """Paths may hold bytes that are no UTF-8: JSON's escapes keep them."""
    return json.dumps(
        [[change.path, _listed(change.old), _listed(change.new)] for change in changes]
    )


def _listed(version: Version) -> list[str | int]:
    known = [] if version.permissions is None else [version.permissions]
    return [version.mode, version.blob, *known]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
