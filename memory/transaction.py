"""Write transactions of SQLite."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager


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
