"""What a user reads when PostgreSQL fails, of a real server."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from postgres_server import PostgresServer, run_server

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.database import postgres as port
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.memory.database.server_tables import prepare_postgres
from maxagent.memory.journal import FinishedCall, Journal
from maxagent.memory.transaction import begin_transaction

PASSWORD = "Zq8/pass:word"


@pytest.fixture(scope="module")
def guarded() -> Iterator[PostgresServer]:
    with run_server(PASSWORD) as server:
        yield server


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """The database file of a home whose threads are at this address."""

    def choose(url: str) -> Path:
        monkeypatch.setenv("LLC_DATABASE", url)
        return paths.locate_database(tmp_path / "home")

    return choose


def refuse_version(server: PostgresServer) -> str:
    url = server.create_schema()
    prepare_postgres(url)
    with closing(port.PostgresConnection(url)) as connection:
        connection.execute("UPDATE maxagent_version SET version = 99")
    return url


def take_name(server: PostgresServer) -> str:
    url = server.create_schema()
    with closing(port.PostgresConnection(url)) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
    return url


def build_unreached(server: PostgresServer) -> str:
    return server.build_url().replace(f":{server.port}/", ":1/")


FAULTS: dict[str, tuple[Callable[[PostgresServer], str], str, str]] = {
    "wrong password": (lambda s: s.build_url(password="wr0ng"), "refuses the user", "database"),
    "no password": (lambda s: s.build_url(password=""), "refuses the user", "database"),
    "no such database": (lambda s: s.build_url(name="absent"), "no such database", "create it"),
    "nobody answers": (build_unreached, "cannot be reached", "mcode resume"),
    "a newer schema": (refuse_version, "a newer MaxAgent wrote", "upgrade MaxAgent"),
    "another program's tables": (take_name, "of another program", "an empty database"),
    "unescaped password": (
        lambda s: s.build_url().replace("%2F", "/"),
        "must be escaped",
        "%2F",
    ),
    "no address": (lambda _: "mysql://host/name", "must begin with", "leave it out"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_a_sentence_without_password(
    fault: str, guarded: PostgresServer, use: Callable[[str], Path]
) -> None:
    build, message, hint = FAULTS[fault]
    with pytest.raises(MaxAgentError) as caught:
        prepare_database(use(build(guarded)))
    assert message in caught.value.message and hint in caught.value.hint
    assert not {"Zq8", "wr0ng"} & {str(caught.value)[at : at + 3] for at in range(500)}
    assert "wr0ng" not in str(caught.value)


def test_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib
    import sys

    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, port.__name__)
    with pytest.raises(UsageError, match="driver") as caught:
        importlib.import_module(port.__name__)
    assert "maxagent[postgres]" in caught.value.hint


def test_idle_connection_that_was_cut_is_replaced(
    guarded: PostgresServer, use: Callable[[str], Path]
) -> None:
    journal = Journal(use(guarded.create_schema()))
    journal.begin_call("thread", "one", "edit")
    guarded.stop()
    with pytest.raises(MaxAgentError, match="cannot"):
        journal.finish_call("thread", "one", {"output": "lost"})
    guarded.start()
    journal.finish_call("thread", "one", {"output": "kept"})
    assert journal.find_call("thread", "one") == FinishedCall({"output": "kept"})
    journal.close()


def test_cut_within_a_write_keeps_nothing_of_it(
    guarded: PostgresServer, use: Callable[[str], Path]
) -> None:
    path = use(guarded.create_schema())
    prepare_database(path)
    with closing(connect(path)) as connection:
        with pytest.raises(sqlite3.Error), begin_transaction(connection):
            connection.execute("INSERT INTO pull_requests VALUES (?, ?)", ("a", "1"))
            guarded.stop()
            guarded.start()
            connection.execute("INSERT INTO pull_requests VALUES (?, ?)", ("b", "2"))
        assert connection.execute("SELECT * FROM pull_requests").fetchall() == []


def test_connection_closed_twice_is_given_back_once(postgres: PostgresServer) -> None:
    url = postgres.create_schema()
    first = port.PostgresConnection(url)
    first.close()
    second = port.PostgresConnection(url)
    first.close()
    del first
    third = port.PostgresConnection(url)
    identity = "SELECT pg_backend_pid()"
    assert second.execute(identity).fetchone() != third.execute(identity).fetchone()
    second.close()
    third.close()


def test_statement_after_cut_is_not_run_alone(
    postgres: PostgresServer, use: Callable[[str], Path]
) -> None:
    path = use(postgres.create_schema())
    prepare_database(path)
    with closing(connect(path)) as connection:
        with pytest.raises(KeyError), begin_transaction(connection):
            connection.execute("INSERT INTO pull_requests VALUES (?, ?)", ("a", "1"))
            raise KeyError
        assert not connection.in_transaction
        assert connection.execute("SELECT * FROM pull_requests").fetchall() == []


def test_two_writers_of_a_thread_take_turns(
    postgres: PostgresServer, use: Callable[[str], Path]
) -> None:
    path = use(postgres.create_schema())
    barrier, entries = threading.Barrier(4), list[str]()

    def begin(number: int) -> None:
        journal = Journal(path)
        barrier.wait()
        entries.append(type(journal.begin_call("thread", "call", "edit")).__name__)
        journal.close()

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(entries) == ["StartedCall", *["UnfinishedCall"] * 3]


TRANSLATED = {
    "SELECT a FROM b WHERE c = ? AND d = :e": "SELECT a FROM b WHERE c = %s AND d = %(e)s",
    "SELECT '?:x%' LIKE ?": "SELECT '?:x%%' LIKE %s",
    "SELECT a::text, ?": "SELECT a::text, %s",
    "SELECT 1 FROM a CROSS JOIN b ON c = ?": "SELECT 1 FROM a JOIN b ON c = %s",
    "VALUES (:last) UNION SELECT a": 'VALUES (%(last)s COLLATE "C") UNION SELECT a',
    "SELECT pid FROM journal WHERE thread_id = ? AND call_id = 'lease'": (
        "SELECT pid FROM journal WHERE thread_id = %s AND call_id = 'lease' FOR SHARE"
    ),
}


@pytest.mark.parametrize("statement", TRANSLATED)
def test_statement_is_translated(statement: str) -> None:
    assert port.translate(statement, has_values=True) == TRANSLATED[statement]


ENDS = """
import sys
from maxagent.memory.database.postgres import PostgresConnection
for number in range(3):
    connections = [PostgresConnection(sys.argv[1]) for each in range(number + 1)]
    [connection.execute("SELECT 1") for connection in connections]
    [connection.close() for connection in connections]
"""


def test_a_process_ends_without_warnings(postgres: PostgresServer) -> None:
    command = [sys.executable, "-W", "always", "-c", ENDS, postgres.create_schema()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "ResourceWarning" not in done.stderr
