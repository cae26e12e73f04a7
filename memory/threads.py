"""The list of threads: what each is called, where it works and how it stands.

Plain SQL, so that listing never imports LangGraph. Threads that LangGraph knows and we do not,
because they were begun in Studio, are found in its own table.
"""

import difflib
import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ..config import paths
from ..config.errors import UsageError
from . import checkpoint_facts, lease
from .database import connect, explained, immediate, prepare

Status = Literal[
    "running",
    "waiting",
    "done",
    "unverified",
    "failed",
    "undone",
    "limit",
    "interrupted",
    "unknown",
]
"""waiting: asks something · unverified: ended without proof · limit: a limit stopped it, it can go
on · interrupted: stopped half-way, it can go on · unknown: begun elsewhere and not waiting."""

SHORTEST_PREFIX = 4
LONGEST_NAME = 60


@dataclass(frozen=True)
class ThreadRow:
    """One thread as people see it."""

    thread_id: str
    title: str
    folder: str
    """The project's absolute path; empty for a thread begun elsewhere."""
    graph: str
    request: str
    status: Status
    created_at: str
    """ISO 8601, UTC, as `updated_at`."""
    updated_at: str
    name: str = ""
    """What the user calls it; empty until renamed."""
    options: Any = None
    """What the user chose for it, as it was given to `record`."""
    evidence: Mapping[str, Any] | None = None
    """What proves the result, once a run has recorded it."""
    steps: int = 0
    """Supersteps of its graph so far."""


class ThreadIndex:
    """The list of threads of one MaxAgent home. Its methods block for about a millisecond."""

    def __init__(self, home: Path | None = None) -> None:
        """Make the database ready; `set_aside` tells where a damaged one was moved, if it was."""
        self._home = home or paths.home()
        self._path = paths.database(self._home)
        self.set_aside = prepare(self._path).set_aside

    def record(
        self,
        *,
        thread_id: str,
        title: str,
        folder: str,
        graph: str,
        request: str,
        options: Mapping[str, object],
    ) -> ThreadRow:
        """Put a new thread on the list, as running."""
        now = _now()
        row = ThreadRow(
            thread_id, title, folder, graph, request, "running", now, now, options=options
        )
        with explained(self._path), closing(connect(self._path)) as connection:
            connection.execute(
                "INSERT INTO threads (thread_id, title, name, folder, graph, request, options,"
                " status, evidence, created_at, updated_at)"
                " VALUES (?, ?, '', ?, ?, ?, ?, 'running', 'null', ?, ?)",
                (thread_id, title, folder, graph, request, json.dumps(options), now, now),
            )
        return row

    def set_status(
        self, thread_id: str, status: Status, *, evidence: Mapping[str, object] | None = None
    ) -> None:
        """Say how the thread stands, and what proves it; without `evidence` the old one stays."""
        proof = json.dumps(evidence) if evidence is not None else None
        with explained(self._path), closing(connect(self._path)) as connection:
            connection.execute(
                "UPDATE threads SET status = ?, evidence = COALESCE(?, evidence), updated_at = ?"
                " WHERE thread_id = ?",
                (status, proof, _now(), thread_id),
            )

    def rename(self, thread_id: str, name: str) -> None:
        """Give the thread a name of the user's own; raises UsageError for a bad or taken one."""
        name = name.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise UsageError(
                "a thread's name is one line of printable characters",
                hint=f"use 1 to {LONGEST_NAME} characters",
            )
        with explained(self._path), closing(connect(self._path)) as connection:
            try:
                renamed = connection.execute(
                    "UPDATE threads SET name = ? WHERE thread_id = ?", (name, thread_id)
                ).rowcount
            except sqlite3.IntegrityError:
                raise UsageError(
                    f"another thread is called `{name}` already", hint="choose another name"
                ) from None
        if not renamed:
            raise UsageError(
                f"thread `{thread_id}` was begun elsewhere and cannot be named",
                hint="name it by its id",
            )

    def get(self, thread_id: str) -> ThreadRow:
        """The thread with exactly this id; raises UsageError when there is none."""
        for row in self.list():
            if row.thread_id == thread_id:
                return row
        raise UsageError(f"no thread `{thread_id}`", hint="`mcode threads list --all` shows them")

    def find(self, text: str) -> ThreadRow:
        """The thread with this id, name or beginning of an id; raises UsageError otherwise."""
        rows = self.list()
        exact = [row for row in rows if text and text in (row.thread_id, row.name)]
        long_enough = len(text) >= SHORTEST_PREFIX
        begins = [row for row in rows if long_enough and row.thread_id.startswith(text)]
        found = exact or begins
        if len(found) == 1:
            return found[0]
        raise _ambiguous(text, found) if found else _not_found(text, rows)

    def latest(self, folder: Path) -> ThreadRow:
        """The thread of this folder that was used last; raises UsageError when there is none."""
        rows = self.list(folder)
        if not rows:
            raise UsageError(
                f"no thread in `{folder.resolve()}` yet",
                hint="`mcode threads list --all` shows those of other folders",
            )
        return rows[0]

    def list(self, folder: Path | None = None) -> list[ThreadRow]:
        """All threads or those of a folder, the last used first."""
        with explained(self._path), closing(connect(self._path)) as connection:
            facts = checkpoint_facts.read(connection)
            connection.row_factory = sqlite3.Row
            stored = connection.execute("SELECT * FROM threads").fetchall()
        rows = {row["thread_id"]: _row(row) for row in stored}
        for thread_id, fact in facts.items():
            known = rows.get(thread_id) or _begun_elsewhere(thread_id, fact)
            rows[thread_id] = replace(known, steps=fact.steps)
        wanted = str(folder.resolve()) if folder else None
        chosen = [row for row in rows.values() if wanted in (None, row.folder)]
        return sorted(map(self._with_truth, chosen), key=lambda row: row.updated_at, reverse=True)

    def delete(self, thread_id: str) -> None:
        """Forget the thread and everything kept for it; raises ThreadBusy while it is run."""
        with (
            lease.hold(self._home, thread_id),
            explained(self._path),
            closing(connect(self._path)) as connection,
            immediate(connection),
        ):
            checkpoint_facts.delete(connection, thread_id)
            connection.execute("DELETE FROM journal WHERE thread_id = ?", (thread_id,))
            connection.execute("DELETE FROM threads WHERE thread_id = ?", (thread_id,))
            shutil.rmtree(paths.outputs_folder(self._home, thread_id), ignore_errors=True)

    def _with_truth(self, row: ThreadRow) -> ThreadRow:
        """A thread that says `running` while nobody runs it was killed."""
        if row.status == "running" and lease.holder(self._home, row.thread_id) is None:
            return replace(row, status="interrupted")
        return row


def _row(stored: sqlite3.Row) -> ThreadRow:
    parsed = {column: json.loads(stored[column]) for column in ("options", "evidence")}
    return ThreadRow(**{**dict(stored), **parsed})


def _begun_elsewhere(thread_id: str, fact: checkpoint_facts.Facts) -> ThreadRow:
    return ThreadRow(
        thread_id=thread_id,
        title="",
        folder="",
        graph=fact.graph,
        request="",
        status="waiting" if fact.waiting else "unknown",
        created_at=fact.created_at,
        updated_at=fact.updated_at,
    )


def _ambiguous(text: str, found: list[ThreadRow]) -> UsageError:
    ids = ", ".join(f"`{row.thread_id}` ({row.name or row.title})" for row in found)
    return UsageError(f"`{text}` fits {len(found)} threads", hint=f"give more of the id: {ids}")


def _not_found(text: str, rows: list[ThreadRow]) -> UsageError:
    names = {row.name: row.name for row in rows if row.name}
    ids = {row.thread_id[: max(len(text), SHORTEST_PREFIX)]: row.thread_id for row in rows}
    close = difflib.get_close_matches(text, [*names, *ids], n=3, cutoff=0.6)
    shown = ", ".join(f"`{names.get(key) or ids[key]}`" for key in close)
    hint = "`mcode threads list --all` shows all threads"
    return UsageError(
        f"no thread `{text}`", hint=f"did you mean {shown}? {hint}" if close else hint
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
