"""The sub-agents of threads: who did what, from when to when, at what cost, and where its rows are.

The node of a sub-agent writes here, never a model. A run of a sub-agent is called a child.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ..database.connection import connect, prepare_database, translate_sqlite_errors
from ..shared_connections import IdleConnections
from ..transaction import begin_thread_write

# waiting: asks something · partial: a limit stopped it, its report says so · killed: the user or
# a rewind ended it. A child whose process died is still `running`.
SubRunStatus = Literal["running", "waiting", "done", "partial", "failed", "killed"]
# A child of these has given its report
ENDED: frozenset[SubRunStatus] = frozenset({"done", "partial", "failed", "killed"})


@dataclass(frozen=True)
class SubRun:
    """One child of a thread; its fields are the columns of the table."""

    thread_id: str
    sub_id: str
    """`AGENT-N`, such as `explore-1`; N counts the children of its agent in the thread."""
    call_id: str
    """The call of the parent that it works for."""
    position: int
    """Its place among the tasks of that call, from 0."""
    namespace: str
    """Of its checkpoints: `subagent:<task id>`."""
    agent: str
    title: str
    """The first line of its task, shortened."""
    status: SubRunStatus
    started_at: str
    """ISO 8601, UTC, as `ended_at`."""
    ended_at: str | None = None
    requests: int = 0
    """Requests to a model."""
    tokens: int = 0
    """Input and output of these."""
    cost: float | None = None
    """US dollars; None: unknown."""
    worktree: str = ""
    """Folder of its own; empty: it worked in that of the thread."""
    report: str = ""
    """Its last answer, as its parent got it."""


_COLUMNS = tuple(field.name for field in fields(SubRun))
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM sub_runs WHERE thread_id = ?"
INSERT_SUB_RUN = (
    f"INSERT INTO sub_runs ({', '.join(_COLUMNS)})"
    f" VALUES ({', '.join(f':{column}' for column in _COLUMNS)})"
)


class SubRuns:
    """The children of all threads of one database; its methods block for about a millisecond."""

    def __init__(self, path: Path) -> None:
        """Open the table in the database; create or migrate the database first."""
        prepare_database(path)
        self._path = path
        self._connections = IdleConnections(path, connect)

    def begin(
        self,
        thread_id: str,
        call_id: str,
        position: int,
        *,
        namespace: str,
        agent: str,
        title: str,
        worktree: str = "",
    ) -> SubRun:
        """Record a child before it starts; return the one that is there if it has started before.

        A node calls this at each resume, also after the child has ended.
        """
        with self._begin_write(thread_id) as connection:
            existing_row = _find_by_call(connection, thread_id, call_id, position)
            if existing_row:
                return existing_row
            row = SubRun(
                thread_id,
                _choose_sub_id(connection, thread_id, agent),
                call_id,
                position,
                namespace,
                agent,
                title,
                "running",
                _format_now(),
                worktree=worktree,
            )
            connection.execute(INSERT_SUB_RUN, asdict(row))
            return row

    def finish(
        self,
        thread_id: str,
        sub_id: str,
        status: SubRunStatus,
        *,
        requests: int,
        tokens: int,
        cost: float | None,
        report: str,
    ) -> None:
        """Record how a child ended; a child that has ended stays as it is."""
        with self._begin_write(thread_id) as connection:
            connection.execute(
                "UPDATE sub_runs SET status = ?, ended_at = ?, requests = ?, tokens = ?, cost = ?,"
                " report = ? WHERE thread_id = ? AND sub_id = ? AND ended_at IS NULL",
                (status, _format_now(), requests, tokens, cost, report, thread_id, sub_id),
            )

    def set_status(self, thread_id: str, sub_id: str, status: SubRunStatus) -> None:
        """Record that a child waits for an answer or goes on; one that has ended stays so."""
        with self._begin_write(thread_id) as connection:
            connection.execute(
                "UPDATE sub_runs SET status = ?"
                " WHERE thread_id = ? AND sub_id = ? AND ended_at IS NULL",
                (status, thread_id, sub_id),
            )

    def set_worktree(self, thread_id: str, sub_id: str, worktree: str) -> None:
        """Record the folder in which a child works."""
        with self._begin_write(thread_id) as connection:
            connection.execute(
                "UPDATE sub_runs SET worktree = ? WHERE thread_id = ? AND sub_id = ?",
                (worktree, thread_id, sub_id),
            )

    def list_sub_runs(self, thread_id: str) -> list[SubRun]:
        """Return the children of a thread in the order of their calls, and of the tasks of each."""
        with translate_sqlite_errors(self._path), self._connections.use() as connection:
            return read_sub_runs(connection, thread_id)

    def find_sub_run(self, thread_id: str, sub_id: str) -> SubRun | None:
        """Return the child of that ID, if the thread has it."""
        return next((row for row in self.list_sub_runs(thread_id) if row.sub_id == sub_id), None)

    @contextmanager
    def _begin_write(self, thread_id: str) -> Generator[sqlite3.Connection]:
        with (
            translate_sqlite_errors(self._path),
            self._connections.use() as connection,
            begin_thread_write(connection, self._path, thread_id),
        ):
            yield connection


def read_sub_runs(connection: sqlite3.Connection, thread_id: str) -> list[SubRun]:
    """Read the children of a thread in the order of their calls, and of the tasks of each."""
    rows = connection.execute(_SELECT + " ORDER BY started_at, rowid", (thread_id,))
    children = [SubRun(*row) for row in rows]
    # those of one call start at once
    calls = list(dict.fromkeys(child.call_id for child in children))
    return sorted(children, key=lambda child: (calls.index(child.call_id), child.position))


def _find_by_call(
    connection: sqlite3.Connection, thread_id: str, call_id: str, position: int
) -> SubRun | None:
    query = _SELECT + " AND call_id = ? AND position = ?"
    row = connection.execute(query, (thread_id, call_id, position)).fetchone()
    return SubRun(*row) if row else None


def _choose_sub_id(connection: sqlite3.Connection, thread_id: str, agent: str) -> str:
    # deleted children and those that were not copied leave gaps
    used_ids = [row.sub_id for row in read_sub_runs(connection, thread_id) if row.agent == agent]
    numbers = [int(sub_id.removeprefix(f"{agent}-")) for sub_id in used_ids]
    return f"{agent}-{max(numbers, default=0) + 1}"


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
