"""Both databases have the same tables: who adds one to SQLite adds it to PostgreSQL, too."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from listed_threads import record
from postgres_server import PostgresServer

from maxagent.memory.checkpoints.repair import create_tables
from maxagent.memory.database.migrations import MIGRATIONS
from maxagent.memory.database.postgres import PostgresConnection
from maxagent.memory.database.server_tables import VERSION_TABLE, prepare_postgres
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.index_rows import prepare_index

COLUMNS = (
    "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = current_schema()"
)


def list_sqlite_columns() -> set[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA page_size = 8192")
        connection.executescript("".join(MIGRATIONS))
        create_tables(connection)
        prepare_index(connection)
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {
            (table, row[1])
            for (table,) in tables.fetchall()
            for row in connection.execute(f"PRAGMA table_info({table})")
        }


def test_both_databases_have_the_same_columns(postgres: PostgresServer) -> None:
    url = postgres.create_schema()
    prepare_postgres(url)
    with closing(PostgresConnection(url)) as connection:
        columns = set(map(tuple, connection.execute(COLUMNS)))
    version = {(VERSION_TABLE, "version")}
    assert {item for item in columns - version if item[1] != "rowid"} == list_sqlite_columns()


def test_processes_that_start_together_make_one_schema(postgres: PostgresServer) -> None:
    url, errors = postgres.create_schema(), list[BaseException]()

    def prepare() -> None:
        try:
            prepare_postgres(url)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=prepare) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert errors == []


def test_a_thread_that_is_written_is_found(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.create_schema()
    monkeypatch.setenv("LLC_DATABASE", url)
    index = ThreadIndex(tmp_path)
    row = record(index, tmp_path)
    with closing(PostgresConnection(url)) as connection:
        connection.execute("BEGIN")
        connection.execute("UPDATE threads SET title = 'new'")
        found_row = index.find_row(row.thread_id)
        connection.execute("ROLLBACK")
    assert found_row
    assert index.get(row.thread_id).title == row.title
