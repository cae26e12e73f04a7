import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.memory.checkpoints.thread_rows import copy_thread_rows
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect

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
    copy_thread_rows(connection, "t", "3", "fork")
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
    copy_thread_rows(connection, "t", "2b", "fork")
    assert rows() == before
