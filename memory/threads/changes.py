"""The list of all threads, read again whenever something has changed."""

import sqlite3
import time
from pathlib import Path
from types import TracebackType

from ...config import paths
from ...config.errors import MaxAgentError
from ..database.connection import connect, read_data_version, translate_sqlite_errors
from .index import ThreadIndex
from .record import ThreadRow

# Seconds after which the list is read anyway: a process that was killed changes no row
MAX_SECONDS = 5.0


class ThreadWatch:
    """Reads the threads of one MaxAgent home while others work on them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._index = ThreadIndex(home)
        self._path = paths.locate_database(home)
        self._connection: sqlite3.Connection | None = connect(self._path)
        self._version = -1
        self._read_at = 0.0

    def __enter__(self) -> "ThreadWatch":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._disconnect()

    def read(self) -> list[ThreadRow] | None:
        """Return the threads of an inbox; None if nothing has changed since they were last read.

        After an error the next call tries again, with a connection of its own.
        """
        try:
            return self._read_changes()
        except (MaxAgentError, sqlite3.Error):
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection, self._version = None, -1

    def _read_changes(self) -> list[ThreadRow] | None:
        with translate_sqlite_errors(self._path):
            self._connection = self._connection or connect(self._path)
            version = read_data_version(self._connection)
        now = time.monotonic()
        if version == self._version and now - self._read_at < MAX_SECONDS:
            return None
        self._index.refresh()  # which may change the database, too
        with translate_sqlite_errors(self._path):
            self._version = read_data_version(self._connection)
        self._read_at = now
        return self._index.list_inbox()
