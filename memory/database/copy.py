"""Copy of all threads from one database to another: a file of SQLite, or PostgreSQL.

The tables of both have the same columns. Rows keep their order, which says which of two is later.
"""

import os
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...config.errors import MaxAgentError, UsageError
from ...config.text import text
from ..checkpoints.repair import create_tables
from ..transaction import begin_transaction, is_sqlite
from .connection import (
    connect_file,
    connect_server,
    prepare_file,
    translate_known_errors,
    translate_sqlite_errors,
    validate_version,
)

if TYPE_CHECKING:
    from .postgres import PostgresConnection

SCHEMES = ("postgres://", "postgresql://")
TABLES = (
    "threads",
    "journal",
    "file_history",
    "sub_runs",
    "pull_requests",
    "checkpoints",
    "writes",
)
_PORTION = 500


@dataclass(frozen=True)
class DatabaseFacts:
    """What a database holds."""

    version: int
    threads: int
    rows: int
    bytes: int


def copy_database(
    source: str, target: str, report: Callable[[str, int], None] = lambda table, count: None
) -> dict[str, int]:
    """Copy every row; return the number of rows by table. All or nothing is in the target.

    Both are an address of PostgreSQL or the path of a file; the target's tables are made, and must
    be empty. Raises UsageError, and MaxAgentError if the source cannot be read.
    """
    _check_source(source)
    _check_target(target)
    _prepare(target)
    with (
        _translate_errors(source),
        closing(_open(source)) as reader,
        closing(_open(target)) as writer,
    ):
        if is_sqlite(writer):
            create_tables(writer)
        with begin_transaction(writer):
            return _copy_tables(reader, writer, target, report)


def _check_source(source: str) -> None:
    """Raise UsageError unless it has the table of threads; create no file."""
    _check_scheme(source)
    if not _has_threads(source):
        raise UsageError(
            text("there is no database of threads at `{source}`", source=describe_place(source)),
            hint="`mcode db status` says where threads are; the source comes before the target",
        )


def _check_target(target: str) -> None:
    """Raise UsageError for a file of another kind: it would be moved aside, or get our tables."""
    _check_scheme(target)
    if target.startswith(SCHEMES) or not os.path.isfile(target) or not os.path.getsize(target):
        return
    if not _has_threads(target):
        raise UsageError(
            text("`{target}` is no database of threads", target=target),
            hint="name a file that does not exist yet",
        )


def _has_threads(address: str) -> bool:
    """Return whether it has the table of threads; raises UsageError if a newer MaxAgent made it."""
    if not (address.startswith(SCHEMES) or os.path.isfile(address)):
        return False
    try:
        with _translate_errors(address), closing(_open(address)) as reader:
            _validate_version(reader, address)
            return bool(_list_columns(reader, "threads"))
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_NOTADB:
            raise
        return False


def _validate_version(connection: sqlite3.Connection, address: str) -> None:
    if is_sqlite(connection):
        validate_version(connection.execute("PRAGMA user_version").fetchone()[0])
        return
    from .server_tables import read_version

    read_version(cast("PostgresConnection", connection), address)


@contextmanager
def _translate_errors(address: str) -> Generator[None]:
    """Turn SQLite's errors into messages; a damaged file stays where it is."""
    try:
        with translate_known_errors(Path(address)):
            yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        raise MaxAgentError(
            text("cannot read the database `{path}`: {error}", path=address, error=error),
            hint="`mcode threads list` repairs the damaged database of a home; then copy that",
        ) from error


def _check_scheme(address: str) -> None:
    if "://" in address and not address.startswith(SCHEMES):
        raise UsageError(
            text(
                "`{address}` is no address of PostgreSQL",
                address=address.partition("://")[0] + "://…",
            ),
            hint="it begins with `postgres://`; a file is named by its path",
        )


def _copy_tables(
    reader: sqlite3.Connection,
    writer: sqlite3.Connection,
    target: str,
    report: Callable[[str, int], None],
) -> dict[str, int]:
    if any(_count_rows(writer, table) for table in TABLES):
        raise UsageError(
            text("`{target}` has threads already", target=describe_place(target)),
            hint="copy into an empty database",
        )
    reader.execute("BEGIN")
    if not is_sqlite(reader):
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    counts = dict[str, int]()
    for table in TABLES:
        counts[table] = _copy_table(reader, writer, table)
        report(table, counts[table])
    reader.execute("ROLLBACK")
    return counts


def read_facts(address: str) -> DatabaseFacts:
    """Return what a database holds; raises UsageError if a newer MaxAgent wrote it."""
    _prepare(address)
    with translate_sqlite_errors(Path(address)), closing(_open(address)) as connection:
        counts = {table: _count_rows(connection, table) for table in TABLES}
        if is_sqlite(connection):
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            size = Path(address).stat().st_size
        else:
            version = connection.execute("SELECT version FROM maxagent_version").fetchone()[0]
            query = "SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) FROM pg_class"
            names = ", ".join(f"'{table}'" for table in TABLES)
            where = f" WHERE relname IN ({names}) AND pg_table_is_visible(oid)"
            size = int(connection.execute(query + where).fetchone()[0])
    return DatabaseFacts(version, counts["threads"], sum(counts.values()), size)


def describe_place(address: str) -> str:
    """Return where a database is, without user and password."""
    if not address.startswith(SCHEMES):
        return address
    from .postgres import describe_address

    return describe_address(address)


def _prepare(address: str) -> None:
    if not address.startswith(SCHEMES):
        prepare_file(Path(address))
        return
    from .server_tables import prepare_postgres

    with translate_known_errors(Path(address)):
        prepare_postgres(address)


def _open(address: str) -> sqlite3.Connection:
    return connect_server(address) if address.startswith(SCHEMES) else connect_file(Path(address))


def _copy_table(reader: sqlite3.Connection, writer: sqlite3.Connection, table: str) -> int:
    if not (columns := _list_columns(reader, table)):
        return 0  # LangGraph's are made by the first run
    names = ", ".join(columns)
    marks = ", ".join("?" * len(columns))
    count = 0
    order = "rowid" if is_sqlite(reader) or table not in ("threads", "journal") else columns[0]
    if not is_sqlite(reader) and table == "pull_requests":
        order = columns[0]
    for rows in _read_rows(reader, f"SELECT {names} FROM {table} ORDER BY {order}"):
        writer.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)
        count += len(rows)
    return count


def _read_rows(reader: sqlite3.Connection, query: str) -> Iterator[list[tuple[object, ...]]]:
    cursor = reader.execute(query)
    while rows := cursor.fetchmany(_PORTION):
        yield rows


def _list_columns(connection: sqlite3.Connection, table: str) -> list[str]:
    if is_sqlite(connection):
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    query = (
        "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
        " AND table_schema = current_schema() AND column_name != 'rowid' ORDER BY ordinal_position"
    )
    return [row[0] for row in connection.execute(query, (table,))]


def _count_rows(connection: sqlite3.Connection, table: str) -> int:
    if not _list_columns(connection, table):
        return 0
    return connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
