import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.memory.database.connection import connect
from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow
from maxagent.memory.threads.rows import copy_history, delete_thread, insert_thread, read_threads
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.memory.undo.history import FileHistory


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    ThreadIndex(tmp_path)
    with closing(connect(tmp_path / "data" / "threads.db")) as connection:
        yield connection


def make_row(thread_id: str, name: str = "") -> ThreadRow:
    at = "2026-01-01T00:00:00+00:00"
    return ThreadRow(thread_id, "title", "/p", "chat", "request", "idle", at, at, name, {})


def test_inserted_threads_are_read_and_deleted(connection: sqlite3.Connection) -> None:
    for thread in "abc":
        insert_thread(connection, make_row(thread))
    assert read_threads(connection)["b"] == make_row("b")
    assert read_threads(connection, {"a", "z"}).keys() == {"a"}
    delete_thread(connection, "b")
    assert read_threads(connection).keys() == {"a", "c"}


def test_deleted_thread_takes_its_sub_agents(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    sub_runs = SubRuns(tmp_path / "data" / "threads.db")
    for thread in "ab":
        sub_runs.begin(thread, "c1", 0, namespace="subagent:x", agent="explore", title="look")
    delete_thread(connection, "a")
    assert sub_runs.list_sub_runs("a") == []
    assert [row.sub_id for row in sub_runs.list_sub_runs("b")] == ["explore-1"]


def test_insert_with_taken_name_raises(connection: sqlite3.Connection) -> None:
    insert_thread(connection, make_row("a", "mine"))
    with pytest.raises(sqlite3.IntegrityError):
        insert_thread(connection, make_row("b", "mine"))


def test_file_history_is_copied_up_to_entry(connection: sqlite3.Connection, tmp_path: Path) -> None:
    history = FileHistory(tmp_path / "data" / "threads.db")
    change = PathChange("a.txt", ABSENT, FileVersion("100644", "1" * 40))
    for key in "xyz":
        history.record_entry("t", key, "others", before="b", after="a", turn=1, changes=[change])
    copy_history(connection, "t", 2, "fork")
    copied = history.list_entries("fork")
    assert copied == history.list_entries("t")[:2]
    history.record_entry("fork", "own", "others", before="b", after="a", turn=1, changes=[change])
    assert [entry.number for entry in history.list_entries("fork")] == [1, 2, 3]
    assert len(history.list_entries("t")) == 3
