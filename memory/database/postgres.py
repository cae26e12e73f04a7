"""PostgreSQL behind the part of `sqlite3.Connection` that our queries and LangGraph's saver use.

One set of queries serves both databases: they are written so that both understand them, and what
remains is translated here. The tables are those of SQLite, with LangGraph's in the layout that our
saver writes: `docs/decisions/0056`. Parameters are put in by the client, so no statement is
prepared on the server, and a proxy such as PgBouncer may give each transaction another session.
"""

import atexit
import logging
import os
import re
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, cast

from ...config.errors import MaxAgentError, UsageError
from ...config.text import text

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise UsageError(
        "`database` names PostgreSQL, but its driver is not installed",
        hint="install it with `pip install 'maxagent[postgres]'`",
    ) from error

Parameters = Sequence[object] | Mapping[str, object]
Connection = psycopg.Connection[tuple[Any, ...]]
_logger = logging.getLogger(__name__)
# Seconds: a process that is stopped in the middle of a transaction keeps its rows locked so long
IDLE_SECONDS = 15
_BEGIN = f"BEGIN; SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
_OPTIONS: dict[str, Any] = {
    "autocommit": True,
    "connect_timeout": 10,
    "prepare_threshold": None,
    "application_name": "mcode",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "client_encoding": "UTF8",
}
_WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
_TOKENS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|::|:([a-z_]+)|\?|%")
# Only of SQLite, where CROSS keeps the order of a join; only of PostgreSQL, whose recursion wants
# one collation, and where a lease is kept from changing until the transaction ends
_DIALECT = (
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),
    (re.compile(r"VALUES \(:(last|thread)\)(\s+UNION)"), r'VALUES (:\1 COLLATE "C")\2'),
    (
        re.compile(r"(SELECT (?:pid|1) FROM journal WHERE [^()]*call_id = 'lease'[^()]*)(?=\)|$)"),
        r"\1 FOR SHARE",
    ),
)
_MAX_IDLE = 4
# Connections that were closed here and are open there, each with its process and address
_idle: list[tuple[int, str, Connection]] = []


class PostgresError(sqlite3.OperationalError):
    """An error of the server or of the way to it; `translated` is what the user reads."""

    def __init__(self, error: psycopg.Error, url: str) -> None:
        super().__init__(_read_reason(error))
        self.translated = _translate_error(error, url)
        is_cut = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        self.is_lost = is_cut and _find_state(error)[:2] in ("", "08", "53", "57")
        """Whether the server is gone or full, perhaps for a while only."""


class NamedRow(tuple[Any, ...]):
    """A row whose values can be read by name, as `sqlite3.Row`."""

    names: tuple[str, ...]

    def keys(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.names

    def __getitem__(self, key: Any) -> Any:
        """Return a value by its number or name."""
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)


class PostgresCursor:
    """The result of a statement."""

    def __init__(self, connection: "PostgresConnection") -> None:
        self._connection = connection
        self._rows: Iterator[Any] = iter(())
        self.row_factory: object = connection.row_factory
        self.rowcount = -1

    def execute(self, statement: str, parameters: Parameters = ()) -> "PostgresCursor":
        """Run a statement."""
        cursor = self._connection.run(statement, parameters)
        self.rowcount = cursor.rowcount if cursor else -1
        rows = cursor.fetchall() if cursor and cursor.description else []
        if cursor and cursor.description and self.row_factory:
            names = tuple(column.name for column in cursor.description)
            row_type = type("Row", (NamedRow,), {"names": names})
            rows = [row_type(row) for row in rows]
        self._rows = iter(rows)
        return self

    def executemany(self, statement: str, rows: Iterable[Parameters]) -> "PostgresCursor":
        """Run a statement for each of the rows."""
        counts = [self.execute(statement, row).rowcount for row in rows]
        self.rowcount = sum(max(0, count) for count in counts)
        return self

    def fetchone(self) -> Any:
        """Return the next row; None after the last one."""
        return next(self._rows, None)

    def fetchmany(self, size: int = 64) -> list[Any]:
        """Return the next rows."""
        return [row for _, row in zip(range(size), self._rows, strict=False)]

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows that are left."""
        return self._rows

    def close(self) -> None:
        """Forget the rows."""
        self._rows = iter(())


class PostgresConnection:
    """A connection that any one thread at a time may use."""

    def __init__(self, url: str, *, begins: bool = False) -> None:
        """Connect; `begins`: a write begins a transaction, as in `sqlite3` by default."""
        self._url, self._begins = url, begins
        self.row_factory: object = None
        self.total_changes = 0
        self.in_transaction = False
        self._is_closed = True
        with _translate(url):
            self._connection = _take_idle(url) or _open(url)
        self._is_closed = False

    def cursor(self) -> PostgresCursor:
        """Return a cursor."""
        return PostgresCursor(self)

    def execute(self, statement: str, parameters: Parameters = ()) -> PostgresCursor:
        """Run a statement; return its rows."""
        return self.cursor().execute(statement, parameters)

    def executemany(self, statement: str, rows: Iterable[Parameters]) -> PostgresCursor:
        """Run a statement for each of the rows."""
        return self.cursor().executemany(statement, rows)

    def commit(self) -> None:
        """Commit the open transaction, if any."""
        if self.in_transaction:
            self.run("COMMIT")

    def rollback(self) -> None:
        """Roll the open transaction back, if any."""
        if self.in_transaction:
            self.run("ROLLBACK")

    def close(self) -> None:
        """Give the connection back; it stays open for the next one of this process."""
        if self._is_closed:
            return
        self._is_closed = True
        if self.in_transaction or self._connection.closed:
            self._connection.close()
            return
        _idle.append((os.getpid(), self._url, self._connection))
        if len(_idle) > _MAX_IDLE:
            process, _, oldest = _idle.pop(0)
            if process == os.getpid():
                oldest.close()

    def __del__(self) -> None:
        """Close a connection that nobody has closed, as SQLite's does."""
        if not self._is_closed:  # else another one may have it now
            self._connection.close()

    def run(self, statement: str, parameters: Parameters = ()) -> "psycopg.Cursor[Any] | None":
        """Run a statement of ours; None for one that is SQLite's alone."""
        if statement.lstrip().startswith("PRAGMA"):
            return None
        if statement in ("COMMIT", "ROLLBACK"):
            return self._end_transaction(statement)
        if statement.startswith("BEGIN"):
            self._begin_transaction()
            return None
        if self._begins and not self.in_transaction and _WRITES.match(statement):
            self._begin_transaction()
        values = _to_values(parameters)
        # without parameters the driver leaves `%` as it is
        cursor = self._send(translate(statement, has_values=bool(values)), values or None)
        if _WRITES.match(statement):
            self.total_changes += max(0, cursor.rowcount)
        return cursor

    def _begin_transaction(self) -> None:
        self._send(_BEGIN)
        self.in_transaction = True

    def _end_transaction(self, statement: str) -> "psycopg.Cursor[Any] | None":
        is_lost = statement == "ROLLBACK" and self._connection.closed  # the server has done so
        try:
            return None if is_lost else self._send(statement)
        finally:
            self.in_transaction = False

    def _send(self, statement: str, values: Any = None) -> "psycopg.Cursor[Any]":
        with _translate(self._url):
            try:
                return self._connection.execute(cast("Any", statement), values)
            except psycopg.OperationalError:
                # an idle connection that the server or a proxy has cut: nothing was begun on it
                is_new = not self.in_transaction and not _WRITES.match(statement)
                if not is_new or not self._connection.closed:
                    raise
            _logger.info("database connection was lost; connecting again")
            self._connection = _open(self._url)
            return self._connection.execute(cast("Any", statement), values)


def close_idle() -> None:
    """Close the connections that nobody uses; at the end of a process, the driver warns of them."""
    while _idle:
        process, _, connection = _idle.pop()
        if process == os.getpid():
            connection.close()


atexit.register(close_idle)


def _take_idle(url: str) -> Connection | None:
    for entry in reversed(_idle.copy()):
        process, address, connection = entry
        if (process, address) == (os.getpid(), url):
            with suppress(ValueError):  # another thread has taken it
                _idle.remove(entry)
                if not connection.closed:
                    return connection
    return None


def _open(url: str) -> Connection:
    return psycopg.Connection.connect(url, cursor_factory=psycopg.ClientCursor, **_OPTIONS)


@lru_cache(maxsize=1000)
def translate(statement: str, *, has_values: bool) -> str:
    """Return a statement of ours as PostgreSQL and its driver take it."""
    for pattern, replacement in _DIALECT:
        statement = pattern.sub(replacement, statement)
    return _TOKENS.sub(_translate_token, statement) if has_values else statement


def _translate_token(match: re.Match[str]) -> str:
    token = match[0]
    if match[1]:
        return f"%({match[1]})s"
    return "%s" if token == "?" else token.replace("%", "%%")


def _to_values(parameters: Parameters) -> Any:
    if isinstance(parameters, Mapping):
        return {name: _to_value(value) for name, value in parameters.items()}
    return [_to_value(value) for value in parameters]


def _to_value(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    # PostgreSQL's texts have no NUL
    return value.replace("\0", "") if isinstance(value, str) else value


@contextmanager
def _translate(url: str) -> Generator[None]:
    try:
        yield
    except psycopg.IntegrityError as error:
        raise sqlite3.IntegrityError(_describe_conflict(error)) from error
    except psycopg.Error as error:
        raise PostgresError(error, url) from error


def _describe_conflict(error: psycopg.Error) -> str:
    """Name the table and its columns as SQLite does."""
    columns = (error.diag.message_detail or "").partition("(")[2].partition(")")[0].split(", ")
    places = ", ".join(f"{error.diag.table_name}.{column}" for column in columns)
    return " ".join(("UNIQUE", "constraint", "failed:", places))


def describe_address(url: str) -> str:
    """Return where the database is, without user and password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        return "?"
    host, port = parts.get("host") or "localhost", parts.get("port") or 5432
    return f"{host}:{port}/{parts.get('dbname') or parts.get('user') or ''}"


# By the beginning of SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html
_REASONS = {
    "28": ("it refuses the user or the password", "check both in `database`"),
    "3D": ("there is no such database", "create it, or name another one in `database`"),
    "53100": ("its disk is full", "free some space there; then continue with `mcode resume`"),
    "53": ("it has no room for another connection", "wait, or raise its `max_connections`"),
    "42501": (
        "its user may not do this",
        "let the user create and write tables in the database",
    ),
    "25006": ("it can only be read", "name the primary server in `database`"),
    "57": ("it is stopping or starting", "wait, then continue with `mcode resume`"),
    "25P03": (
        "this process was stopped in the middle of a write, which is undone",
        "continue with `mcode resume`",
    ),
}
_SIGNS = {
    "28": re.compile(r"password authentication failed|no password supplied|pg_hba\.conf"),
    "3D": re.compile(r'" does not exist'),
    "53": re.compile(r"too many clients|remaining connection slots"),
    "57": re.compile(r"the database system is"),
}
_LOST = (
    "it cannot be reached, or the connection was cut",
    "check that it runs and that `database` has its address; then continue with `mcode resume`",
)


def _translate_error(error: psycopg.Error, url: str) -> MaxAgentError | None:
    """Return what the user reads; None for a fault of ours."""
    state = _find_state(error)
    explanation = next((_REASONS[key] for key in (state, state[:2]) if key in _REASONS), None)
    if explanation is None:
        if state or not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return None
        explanation = _LOST
    reason, hint = explanation
    message = text(
        "cannot use the database `{path}`: {reason} ({error})",
        path=describe_address(url),
        reason=reason,
        error=_read_reason(error),
    )
    return MaxAgentError(message, hint=hint)


def _find_state(error: psycopg.Error) -> str:
    if error.sqlstate:
        return error.sqlstate
    # the driver gives no code where the connection itself fails
    return next((code for code, sign in _SIGNS.items() if sign.search(str(error))), "")


def _read_reason(error: psycopg.Error) -> str:
    """Return the last line that says something; the driver names every address it has tried."""
    if error.diag.message_primary:
        return error.diag.message_primary
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[-1].rpartition("FATAL:")[2].strip()
