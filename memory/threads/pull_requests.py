"""Records of the pull requests of threads: after a kill at any point there is exactly one."""

import json
import sqlite3
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..database.connection import connect, prepare_database, translate_sqlite_errors
from ..transaction import begin_thread_write

# wanted: to be proposed at the next end of a run · asked: shown to the user · approved: the user
# said yes · committed, pushed, done: what has happened · declined: the user said no
PullRequestState = Literal["wanted", "asked", "approved", "committed", "pushed", "done", "declined"]
# Name of the request in a question
PULL_REQUEST = "pull_request"
OPEN: frozenset[PullRequestState] = frozenset(
    {"wanted", "asked", "approved", "committed", "pushed"}
)


@dataclass(frozen=True)
class PullRequestRecord:
    """The state of a thread's pull request."""

    thread_id: str
    state: PullRequestState
    proposal: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was shown to the user: `sdk/pull_requests/proposal.py`."""
    commit: str = ""
    """The last commit on its branch."""
    entry: int = 0
    """Number of the last entry of the file history that is in that commit."""
    number: int = 0
    url: str = ""

    def advance(self, state: PullRequestState, **fields: Any) -> "PullRequestRecord":
        """Return the record in another state."""
        return replace(self, state=state, **fields)


def read_record(connection: sqlite3.Connection, thread_id: str) -> PullRequestRecord | None:
    """Read the thread's record, if there is one."""
    query = "SELECT record FROM pull_requests WHERE thread_id = ?"
    row = connection.execute(query, (thread_id,)).fetchone()
    return PullRequestRecord(**json.loads(row[0])) if row else None


def find_asked(connection: sqlite3.Connection, threads: Collection[str]) -> set[str]:
    """Return those of the threads whose user is asked about a pull request, by one query."""
    query = (
        "SELECT thread_id, record FROM pull_requests"
        " WHERE thread_id IN (SELECT value FROM json_each(?))"
    )
    rows = connection.execute(query, (json.dumps([*threads]),)).fetchall()
    return {thread_id for thread_id, record in rows if json.loads(record)["state"] == "asked"}


class PullRequestRecords:
    """The records of one database; its methods block for about a millisecond."""

    def __init__(self, path: Path) -> None:
        """Open them; this creates or migrates the database."""
        prepare_database(path)
        self._path = path

    def find(self, thread_id: str) -> PullRequestRecord | None:
        """Return the thread's record, if there is one."""
        with self._connect() as connection:
            return read_record(connection, thread_id)

    def save(self, record: PullRequestRecord) -> None:
        """Save the record in place of the thread's earlier one."""
        packed = json.dumps(asdict(record))
        with self._begin_write(record.thread_id) as connection:
            connection.execute("DELETE FROM pull_requests WHERE thread_id = ?", (record.thread_id,))
            connection.execute(
                "INSERT INTO pull_requests VALUES (?, ?)", (record.thread_id, packed)
            )

    def delete(self, thread_id: str) -> None:
        """Forget the thread's record."""
        with self._begin_write(thread_id) as connection:
            connection.execute("DELETE FROM pull_requests WHERE thread_id = ?", (thread_id,))

    @contextmanager
    def _begin_write(self, thread_id: str) -> Generator[sqlite3.Connection]:
        with (
            self._connect() as connection,
            begin_thread_write(connection, self._path, thread_id),
        ):
            yield connection

    @contextmanager
    def _connect(self) -> Generator[sqlite3.Connection]:
        with translate_sqlite_errors(self._path), closing(connect(self._path)) as connection:
            yield connection
