"""The one SQLite file: LangGraph's checkpoints and writes; our journal, thread list and file
history.

Each start reads only the header and the schema (0.5 ms), because the cost of `quick_check` grows
with the file: 30 ms for 100 MB that are in memory already, a second or more from a disk. Damage
further inside raises `sqlite3.DatabaseError` when it is read; `translate_sqlite_errors` then makes
the full check, copies the readable rows into a new file, keeps the damaged one and reports it
(`recovery.py`).
"""

import fcntl
import logging
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...config.errors import MaxAgentError, UsageError
from ...config.security.file_lock import USE_LOCAL_DISK, choose_file_hint, find_lock_refusal
from ...config.settings.early_settings import find_database_url
from ...config.text import text
from ..transaction import is_sqlite
from .migrations import MIGRATIONS
from .recovery import (
    find_set_aside,
    get_salvaged_path,
    install_salvaged,
    keep_salvaged,
    list_database_files,
    set_aside,
)

if TYPE_CHECKING:
    from .salvage import SalvageResult

# Pragmas of every connection; FULL because a journal entry must outlive a power cut too, MEMORY
# because LangGraph's query for a long thread would otherwise copy it through a file in /tmp.
SETTINGS = (
    "busy_timeout = 30000",
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "temp_store = MEMORY",
)

# Only before anything is in the file: larger pages waste less beside rows of 1 kB, and free ones
# can be given back a few at a time.
_FRESH = ("page_size = 8192", "auto_vacuum = INCREMENTAL")
_HEADER_LENGTH = 100
_logger = logging.getLogger(__name__)
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_NOT_WRITABLE = (
    "it cannot be written",
    "check the folder's permissions and free space, or set `MAXAGENT_HOME` to another folder",
)
# No room for the files that a reader creates
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_REASONS = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space and run the command again"),
    sqlite3.SQLITE_IOERR: ("the disk failed or is full", "check its free space, then try again"),
    sqlite3.SQLITE_BUSY: ("another process keeps it locked", "wait for that process and try again"),
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
}


@dataclass(frozen=True)
class DatabaseSetup:
    """State of the database at the start."""

    set_aside: Path | None
    """Where a damaged database was moved, when another took its place."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode that any one thread at a time may use.

    If the folder is not writable, or the disk is full, the connection is read-only. Threads may be
    in PostgreSQL: then it only looks like SQLite's, as far as our queries need it.
    """
    url = find_server(path)
    return connect_server(url) if url else connect_file(path)


def connect_file(path: Path) -> sqlite3.Connection:
    """Open a connection to a file of SQLite, whatever the configuration says of threads."""
    try:
        return _open(path, is_full=False)
    except sqlite3.OperationalError as error:
        if _get_error_code(error) not in _NO_ROOM or _has_log(path):
            raise
        return _open(path, is_full=True)


def find_server(path: Path) -> str:
    """Return the address of the server that has the threads; empty: they are in the file."""
    # only the threads of a home: not cards, and not the files that a repair makes
    if path.name != "threads.db" or path.parent.name != "data":
        return ""
    return find_database_url(path.parent.parent)


def connect_server(url: str, *, begins: bool = False) -> sqlite3.Connection:
    """Open a connection to PostgreSQL; `begins`: a write begins a transaction."""
    from .postgres import PostgresConnection

    return cast("sqlite3.Connection", PostgresConnection(url, begins=begins))


class ReadOnlyConnection(sqlite3.Connection):
    """A connection that cannot write, and may not see what others write."""


def _open(path: Path, *, is_full: bool) -> sqlite3.Connection:
    """Open a connection; even a reader creates files beside the database unless it is immutable."""
    address, kind = path.absolute().as_uri(), sqlite3.Connection
    if is_full or not can_write(path):
        address += "?mode=ro" if _has_log(path) else "?immutable=1"
        kind = ReadOnlyConnection
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, factory=kind
    )
    try:
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _has_log(path: Path) -> bool:
    """Return whether a running or killed process has written into its log."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def read_data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection has changed the database."""
    if not is_sqlite(connection):
        query = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
        return int(connection.execute(query).fetchone()[0])
    return connection.execute("PRAGMA data_version").fetchone()[0]


def can_write(path: Path) -> bool:
    """Return whether SQLite can create its files beside the database."""
    return os.access(path.parent, os.W_OK)


def prepare_database(path: Path) -> DatabaseSetup:
    """Prepare the database: private, migrated, and replaced if it was damaged.

    Raises UsageError if a newer MaxAgent wrote it, MaxAgentError if the disk cannot be written.
    """
    if url := find_server(path):
        from .server_tables import prepare_postgres

        with translate_known_errors(path):
            prepare_postgres(url)
        return DatabaseSetup(set_aside=None)
    return prepare_file(path)


def prepare_file(path: Path) -> DatabaseSetup:
    """Prepare a file of SQLite, whatever the configuration says of threads."""
    try:
        with translate_sqlite_errors(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_ready = path.exists() and not get_salvaged_path(path).exists()
            if is_ready and _probe_version(path) == len(MIGRATIONS):
                _logger.info("database opened: %s", path)
                return DatabaseSetup(set_aside=None)
            with lock_database(path):
                setup = DatabaseSetup(set_aside=_create_or_migrate(path))
                _logger.info("database created or migrated: %s", path)
                return setup
    except OSError as error:
        raise MaxAgentError(
            text(
                "cannot keep threads in `{parent}`: {reason}",
                parent=path.parent,
                reason=error.strerror,
            ),
            hint=choose_file_hint(error, _NOT_WRITABLE[1]),
        ) from error


@contextmanager
def translate_sqlite_errors(path: Path) -> Generator[None]:
    """Turn SQLite's errors into messages; move a damaged file aside.

    Wrap every read or write of the database, LangGraph's saver included.
    """
    with translate_known_errors(path):
        try:
            yield
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            raise _recover_from_damage(path, error) from error


@contextmanager
def translate_known_errors(path: Path) -> Generator[None]:
    """Turn SQLite's errors about disks, locks and permissions into messages."""
    try:
        yield
    except sqlite3.Error as error:
        if isinstance(translated := getattr(error, "translated", None), MaxAgentError):
            raise translated from error  # of PostgreSQL
        code = _get_error_code(error)
        if code not in _REASONS:
            raise
        reason, hint = _REASONS[code]
        # SQLite takes a refused lock for one that somebody holds
        if code == sqlite3.SQLITE_BUSY and (refusal := find_lock_refusal(path.parent)):
            reason, hint = refusal, USE_LOCAL_DISK
        message = text(
            "cannot use the database `{path}`: {reason} ({error})",
            path=path,
            reason=reason,
            error=error,
        )
        raise MaxAgentError(message, hint=hint) from error


def _recover_from_damage(path: Path, error: sqlite3.Error) -> MaxAgentError:
    if not can_write(path):
        message = text("cannot read the database `{path}`: {error}", path=path, error=error)
        return MaxAgentError(message, hint=_NOT_WRITABLE[1])
    with lock_database(path):
        if is_whole(path):  # another process has created a new one
            return MaxAgentError(
                text("cannot read the database `{path}`: {error}", path=path, error=error),
                hint="try again",
            )
        saved = _salvage_database(path)
        moved = set_aside(path)
        install_salvaged(path)
    _logger.info("database salvaged: %s; the damaged one is %s", path, moved)
    return MaxAgentError(
        text(
            "the database was damaged; it was moved to `{backup}`; {losses}",
            backup=moved,
            losses=_describe_losses(saved),
        ),
        hint="run the command again; it uses a new database with all readable data",
    )


def _salvage_database(path: Path) -> "SalvageResult":
    """Copy the readable rows; the damaged database stays until all of them are on disk."""
    from .salvage import salvage_rows

    fresh = path.with_name(f"{path.name}.new")
    try:
        _create_database(fresh)
        with closing(connect(fresh)) as connection:
            saved = salvage_rows(path, connection)
            # closing would not report a full disk
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        keep_salvaged(fresh, path)
    except BaseException:
        remove_database(fresh)
        raise
    return saved


def _describe_losses(saved: "SalvageResult") -> str:
    hurt = ", ".join(f"`{thread[:8]}`" for thread in sorted(saved.damaged_threads))
    if saved.has_unknown_losses:
        return text("these threads, and perhaps others, lost data: {threads}", threads=hurt or "?")
    return (
        text("these threads lost data: {threads}", threads=hurt) if hurt else "no thread lost data"
    )


def _probe_version(path: Path) -> int | None:
    """Return the version of our tables; None if header or schema are damaged. Takes under 1 ms.

    Only SQLite may open the file: when a process closes a file that it opened otherwise, the locks
    of all its connections are lost, and the next process to exit deletes the log that they use.
    """
    if path.stat().st_size < _HEADER_LENGTH:
        return None
    try:
        with closing(connect(path)) as connection:
            connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        if is_damage(error):
            return None
        raise
    validate_version(version)
    return version


def is_whole(path: Path) -> bool:
    """Return whether every page can be read; the cost grows with the file."""
    try:
        with closing(connect(path)) as connection:
            return connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error as error:
        if is_damage(error):
            return False
        raise


def validate_version(version: int) -> None:
    """Raise UsageError if a newer MaxAgent wrote it."""
    if version > len(MIGRATIONS):
        raise UsageError(
            text(
                "a newer MaxAgent wrote the list of threads (version {version}; this one reads "
                "up to {count})",
                version=version,
                count=len(MIGRATIONS),
            ),
            hint="upgrade MaxAgent, or set `MAXAGENT_HOME` to another folder",
        )


def _create_or_migrate(path: Path) -> Path | None:
    done = _probe_version(path) if path.exists() else None
    if done is not None:
        remove_database(get_salvaged_path(path))  # a kill came before its rename
        path.chmod(0o600)
        _migrate(path, done)
        return None
    if path.exists() and path.stat().st_size and not get_salvaged_path(path).exists():
        _salvage_database(path)
    moved = set_aside(path) if any(part.exists() for part in list_database_files(path)) else None
    if get_salvaged_path(path).exists():
        install_salvaged(path)
        _migrate(path, _probe_version(path) or 0)
        return moved or find_set_aside(path)
    fresh = path.with_name(f"{path.name}.new")  # a kill leaves nothing half done
    _create_database(fresh)
    fresh.rename(path)
    return moved


def _create_database(fresh: Path) -> None:
    """Create a new database with our tables."""
    remove_database(fresh)
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(fresh)) as connection:
        for setting in _FRESH:
            connection.execute(f"PRAGMA {setting}")
        connection.execute("VACUUM")
    _migrate(fresh, 0)


def remove_database(database: Path) -> None:
    """Delete a database and the files that SQLite keeps beside it."""
    for part in list_database_files(database):
        part.unlink(missing_ok=True)


def _migrate(path: Path, done: int) -> None:
    with closing(connect(path)) as connection:
        for version, step in enumerate(MIGRATIONS[done:], start=done + 1):
            connection.executescript(
                f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {version}; COMMIT;"
            )


@contextmanager
def lock_database(path: Path) -> Generator[None]:
    """Keep two processes from moving or migrating the same file at once."""
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file itself is damaged."""
    return _get_error_code(error) in _DAMAGED


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process keeps the database locked."""
    return _get_error_code(error) == sqlite3.SQLITE_BUSY


def _get_error_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for an error of Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
