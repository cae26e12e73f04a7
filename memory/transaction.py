"""Write transactions of SQLite, and the number of the lease under which a thread is written.

Each holder of a thread's lease (`threads/lease.py`) gets a higher number. Who lost the lease and
does not know it finds the newer number in the transaction of its next write, and nothing of that is
kept: `docs/decisions/0055`.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..config.errors import ThreadBusyError
from ..config.text import text

# Of the leases that this process holds, by database and thread
_numbers: dict[tuple[str, str], int] = {}
# In the journal, because a table more would not fit on the first page (`database/migrations.py`)
_TAKE = """
    INSERT INTO journal (thread_id, call_id, tool, effectful, state, started_at, pid)
    VALUES (?, 'lease', '', 0, 'started', '', 1)
    ON CONFLICT (thread_id, call_id) DO UPDATE SET pid = journal.pid + 1
"""
_READ = "SELECT pid FROM journal WHERE thread_id = ? AND call_id = 'lease'"


def is_sqlite(connection: object) -> bool:
    """Return whether it is SQLite's own connection, and not PostgreSQL's behind its interface."""
    return isinstance(connection, sqlite3.Connection)


@contextmanager
def begin_transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Begin a write transaction: afterwards all of it is on disk, or nothing."""
    # IMMEDIATE: a transaction that starts as a reader fails if another process wrote meanwhile
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def begin_thread_write(
    connection: sqlite3.Connection, database: Path, thread_id: str
) -> Generator[None]:
    """Begin a write transaction on a thread; raises ThreadBusyError if its lease was lost.

    Who holds no lease of it may write: nothing was lost.
    """
    with begin_transaction(connection):
        if not is_sqlite(connection):  # which has one writer at a time
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (thread_id,))
        number = get_lease_number(database, thread_id)
        if number and number != _read_number(connection, thread_id):
            raise build_lost_error(thread_id)
        yield


def take_lease_number(connection: sqlite3.Connection, thread_id: str) -> int:
    """Return the number of a new lease; earlier ones cannot write once it is kept.

    A transaction is open; `keep_lease_number` follows once it is committed.
    """
    connection.execute(_TAKE, (thread_id,))
    return _read_number(connection, thread_id)


def keep_lease_number(database: Path, thread_id: str, number: int) -> None:
    """Note the lease of this process, under which it writes from now on."""
    _numbers[_build_key(database, thread_id)] = number


def _read_number(connection: sqlite3.Connection, thread_id: str) -> int:
    """Return the number of the newest lease; 0 if the thread was deleted."""
    row = connection.execute(_READ, (thread_id,)).fetchone()
    return row[0] if row else 0


def get_lease_number(database: Path, thread_id: str) -> int | None:
    """Return the number of the lease that this process holds; None if it holds none."""
    return _numbers.get(_build_key(database, thread_id))


def drop_lease_number(database: Path, thread_id: str, number: int) -> None:
    """Forget a lease that ends, unless this process has taken a newer one."""
    if get_lease_number(database, thread_id) == number:
        del _numbers[_build_key(database, thread_id)]


def build_lost_error(thread_id: str) -> ThreadBusyError:
    """Return the error of a holder who lost the lease."""
    return ThreadBusyError(
        text("another process has taken over thread `{thread_id}`", thread_id=thread_id),
        hint=text(
            "this run has ended, and has written nothing since; see how it goes on with "
            "`mcode threads show {thread_id}`",
            thread_id=thread_id,
        ),
    )


def _build_key(database: Path, thread_id: str) -> tuple[str, str]:
    return str(database.absolute()), thread_id
