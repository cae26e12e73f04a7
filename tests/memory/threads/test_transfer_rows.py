import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.memory.checkpoints.thread_rows import CheckpointRow, WriteRow
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.transfer_rows import CallRow, TransferRows, insert_rows, read_rows

A, B = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "ab")
IDS = [f"1f0a{number}000-0000-6000-8000-000000000000" for number in range(4)]
AT = "2026-01-01T00:00:00+00:00"
ROWS = TransferRows(
    [CheckpointRow(item, b"\x80", b"{}") for item in IDS[:3]],
    [
        WriteRow(IDS[0], "t", "~__pregel_pull, __start__", 0, "request", b"\xa2Hi"),
        WriteRow(IDS[1], "t", "~__pregel_pull, build", 0, "messages", b"\x90"),
    ],
    [CallRow("c1", "edit", '{"output": ""}', AT, AT), CallRow("c2", "run_command", None, AT, None)],
)


@pytest.fixture
async def connection(tmp_path: Path) -> "Iterator[sqlite3.Connection]":
    index = ThreadIndex(tmp_path)
    path = tmp_path / "data" / "threads.db"
    async with open_checkpointer(path):
        pass
    for thread in (A, B):
        index.record_thread(
            thread_id=thread, title="", folder="/p", graph="chat", request="", options={}
        )
    with closing(connect(path)) as connection:
        yield connection


def test_rows_survive_export_and_import(connection: sqlite3.Connection) -> None:
    insert_rows(connection, A, ROWS)
    assert read_rows(connection, A) == ROWS
    assert read_rows(connection, B) == TransferRows([], [], [])
    parents = connection.execute("SELECT parent_checkpoint_id FROM checkpoints ORDER BY 1")
    assert [row[0] for row in parents] == [None, *IDS[:2]]


def test_abandoned_and_unrelated_rows_are_not_exported(connection: sqlite3.Connection) -> None:
    insert_rows(connection, A, ROWS)
    connection.execute(
        "INSERT INTO checkpoints VALUES (?, '', ?, ?, 'msgpack', x'80', x'7b7d')",
        (A, IDS[3], IDS[0]),
    )
    connection.execute("UPDATE writes SET channel = 'queue' WHERE channel = 'request'")
    moved = read_rows(connection, A)
    assert [checkpoint.id for checkpoint in moved.checkpoints] == [IDS[0], IDS[3]]
    assert moved.writes == []


def test_a_fork_takes_along_what_its_parent_called(connection: sqlite3.Connection) -> None:
    insert_rows(connection, A, ROWS)
    connection.execute("UPDATE threads SET parent = ? WHERE thread_id = ?", (A, B))
    assert read_rows(connection, B).calls == ROWS.calls


def test_an_id_that_is_taken_puts_nothing_in(connection: sqlite3.Connection) -> None:
    insert_rows(connection, A, ROWS)
    with pytest.raises(sqlite3.IntegrityError):
        insert_rows(connection, A, ROWS)


def test_before_the_first_run_there_are_no_rows(tmp_path: Path) -> None:
    ThreadIndex(tmp_path)
    with closing(connect(tmp_path / "data" / "threads.db")) as connection:
        assert read_rows(connection, A) == TransferRows([], [], [])
