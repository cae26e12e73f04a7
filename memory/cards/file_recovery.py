"""The file of the store: created private, and replaced by its readable rows when it is damaged."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.text import text
from ..database.connection import (
    can_write,
    connect,
    is_damage,
    is_whole,
    lock_database,
    remove_database,
    translate_known_errors,
)
from ..database.recovery import get_salvaged_path, install_salvaged, keep_salvaged, set_aside

_COLUMNS = ("prefix", "key", "value", "created_at", "updated_at")
_INSERT = "INSERT OR IGNORE INTO store (prefix, key, value, created_at, updated_at) VALUES "


def create_file(path: Path) -> None:
    """Create the file for its owner alone; finish a recovery that a kill has cut short."""
    if path.exists():
        return
    with translate_known_errors(path), lock_database(path):
        if get_salvaged_path(path).exists() and not path.exists():
            install_salvaged(path)
        # never open one that exists: closing it would release the locks that SQLite has on it
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


@contextmanager
def translate_store_errors(path: Path) -> Generator[None]:
    """Turn SQLite's errors into messages; move a damaged file aside, and keep its readable rows."""
    with translate_known_errors(path):
        try:
            yield
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            raise _recover(path, error) from error


def _recover(path: Path, error: sqlite3.Error) -> MaxAgentError:
    message = text("cannot read the memory `{path}`: {error}", path=path, error=error)
    if not can_write(path):
        return MaxAgentError(message, hint="check the folder's permissions")
    with lock_database(path):
        if is_whole(path):  # another process has created a new one
            return MaxAgentError(message, hint="try again")
        count = _salvage(path)
        moved = set_aside(path)
        install_salvaged(path)
    return MaxAgentError(
        text(
            "the memory was damaged; it was moved to `{backup}`; {count} cards could be read",
            backup=moved,
            count=count,
        ),
        hint="run the command again; it uses a new file with these cards",
    )


def _salvage(path: Path) -> int:
    """Copy the readable rows; the damaged file stays until all of them are on disk."""
    fresh = path.with_name(f"{path.name}.new")
    remove_database(fresh)
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        with closing(connect(fresh)) as connection:
            create_tables(connection)
            count = _copy_rows(path, connection)
            # closing would not report a full disk
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        keep_salvaged(fresh, path)
    except BaseException:
        remove_database(fresh)
        raise
    return count


def _copy_rows(damaged: Path, fresh: sqlite3.Connection) -> int:
    from ..database.salvage import open_damaged, read_rows, repair_header_if_needed

    with (
        repair_header_if_needed(damaged, fresh) as file,
        closing(open_damaged(file)) as source,
        suppress(sqlite3.Error),
    ):
        fresh.execute("BEGIN")
        for _, *row in read_rows(source, "store", _COLUMNS, []):
            fresh.execute(f"{_INSERT} (?, ?, ?, ?, ?)", row)
        fresh.execute("COMMIT")
    return fresh.execute("SELECT COUNT(*) FROM store").fetchone()[0]


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of LangGraph's store, as its own setup does."""
    from langgraph.store.sqlite.base import MIGRATIONS

    connection.execute("CREATE TABLE IF NOT EXISTS store_migrations (v INTEGER PRIMARY KEY)")
    done = connection.execute("SELECT COALESCE(MAX(v), -1) FROM store_migrations").fetchone()[0]
    for version, step in enumerate(MIGRATIONS[done + 1 :], start=done + 1):
        connection.executescript(step)
        connection.execute("INSERT INTO store_migrations (v) VALUES (?)", (version,))
