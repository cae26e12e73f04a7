"""Write transactions of SQLite."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def begin_transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Begin a write transaction: all of it is on the disk afterwards, or nothing."""
    # IMMEDIATE: one that begins as a reader fails where another process has written meanwhile
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
