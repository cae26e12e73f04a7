"""Release of the database's free pages, in portions: other writers wait only a moment."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ..checkpoints.tables import rebuild_indexes
from .connection import connect, find_server

# 1,000 pages in one transaction: 4 MB, or 8
_PORTION = "PRAGMA incremental_vacuum(1000)"
_INCREMENTAL = 2


def release_pages(path: Path) -> None:
    """Shrink the file by its free pages.

    A database of an older MaxAgent is rewritten once while others wait; on disk, as the rest of it
    may be larger than the memory.
    """
    if find_server(path):
        return  # PostgreSQL does so by itself
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA temp_store = FILE")
        if connection.execute("PRAGMA auto_vacuum").fetchone() != (_INCREMENTAL,):
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("VACUUM")
        elif _has_free(connection):  # rows were deleted, and their places in the indexes are empty
            rebuild_indexes(connection)
        while _has_free(connection):
            connection.execute(_PORTION).fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _has_free(connection: sqlite3.Connection) -> bool:
    return connection.execute("PRAGMA freelist_count").fetchone() != (0,)
