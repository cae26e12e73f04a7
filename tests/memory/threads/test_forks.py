import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect
from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.threads.forks import copy_checkpoints, copy_history
from maxagent.memory.undo.history import FileHistory

CHAIN = {"1": None, "2": "1", "3": "2", "2b": "1", "4": "3"}


@pytest.fixture
async def connection(tmp_path: Path) -> "Iterator[sqlite3.Connection]":
    """A thread `t` with a branch at checkpoint 1, and a thread `u` with the same ids."""
    async with open_checkpointer(tmp_path / "threads.db"):
        pass
    with closing(connect(tmp_path / "threads.db")) as connection:
        for thread in "tu":
            for id_, parent in CHAIN.items():
                row = (thread, id_, parent, f"blob {thread}{id_}".encode())
                connection.execute(
                    "INSERT INTO checkpoints VALUES (?, '', ?, ?, 'msgpack', ?, '{}')", row
                )
                connection.execute(
                    "INSERT INTO writes VALUES (?, '', ?, 'task', '~path', 0, 'messages', 'x', ?)",
                    (thread, id_, f"write {thread}{id_}".encode()),
                )
        yield connection


def test_a_branch_is_copied_up_to_its_checkpoint(connection: sqlite3.Connection) -> None:
    copy_checkpoints(connection, "t", "3", "fork")
    checkpoints = connection.execute(
        "SELECT checkpoint_id, parent_checkpoint_id, checkpoint FROM checkpoints"
        " WHERE thread_id = 'fork' ORDER BY 1"
    ).fetchall()
    assert checkpoints == [("1", None, b"blob t1"), ("2", "1", b"blob t2"), ("3", "2", b"blob t3")]
    writes = connection.execute(
        "SELECT checkpoint_id, value FROM writes WHERE thread_id = 'fork' ORDER BY 1"
    ).fetchall()
    assert writes == [("1", b"write t1"), ("2", b"write t2")]


def test_the_parent_stays_as_it_is(connection: sqlite3.Connection) -> None:
    def rows() -> list[tuple[object, ...]]:
        query = "SELECT * FROM checkpoints WHERE thread_id IN ('t', 'u') ORDER BY 1, 3"
        return connection.execute(query).fetchall()

    before = rows()
    copy_checkpoints(connection, "t", "2b", "fork")
    assert rows() == before


def test_file_history_is_copied_up_to_entry(connection: sqlite3.Connection, tmp_path: Path) -> None:
    history = FileHistory(tmp_path / "threads.db")
    change = PathChange("a.txt", ABSENT, FileVersion("100644", "1" * 40))
    for key in "xyz":
        history.record_entry("t", key, "others", before="b", after="a", turn=1, changes=[change])
    copy_history(connection, "t", 2, "fork")
    copied = history.list_entries("fork")
    assert copied == history.list_entries("t")[:2]
    history.record_entry("fork", "own", "others", before="b", after="a", turn=1, changes=[change])
    assert [entry.number for entry in history.list_entries("fork")] == [1, 2, 3]
    assert len(history.list_entries("t")) == 3
