"""Whatever changes a thread marks it in the index, in the same transaction."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.memory.checkpoints.index_triggers import has_triggers
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.memory.threads.index_rows import prepare_index, update_index

PUT = "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id) VALUES ('t', '', '2')"
WRITE = "INSERT INTO writes VALUES ('t', '', '1', 'b', '', 0, 'x', 'null', NULL)"
REWRITE = WRITE.replace("'b'", "'a'") + (
    " ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)"
    " DO UPDATE SET channel = excluded.channel"
)


@pytest.fixture
async def connection(tmp_path: Path) -> "Iterator[sqlite3.Connection]":
    path = paths.locate_database(tmp_path)
    async with open_checkpointer(path):
        pass
    with closing(connect(path)) as connection:
        connection.execute(PUT.replace("'2'", "'1'"))
        connection.execute(WRITE.replace("'b'", "'a'"))
        update_index(connection)
        yield connection


def list_marked(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT thread_id FROM thread_index WHERE stale = 1"
    return [row[0] for row in connection.execute(query)]


@pytest.mark.parametrize(
    ("change", "is_marked"),
    [
        (PUT, True),
        (PUT.replace("''", "'child'"), False),
        ("UPDATE checkpoints SET metadata = '{}'", True),
        ("DELETE FROM checkpoints", True),
        (WRITE, True),
        (WRITE.replace("''", "'child'", 1), False),
        (REWRITE, True),
        ("UPDATE writes SET value = 'packed'", False),
        (
            "INSERT INTO threads VALUES"
            " ('t', '', '', '', '', '', '{}', 'idle', 'null', '', '', '', 0)",
            True,
        ),
    ],
)
async def test_a_change_marks_its_thread(
    connection: sqlite3.Connection, change: str, is_marked: bool
) -> None:
    assert list_marked(connection) == []
    connection.execute("BEGIN")
    connection.execute(change)
    assert list_marked(connection) == ["t"] * is_marked
    connection.execute("ROLLBACK")
    assert list_marked(connection) == []


async def test_triggers_come_with_langgraphs_tables(tmp_path: Path) -> None:
    path = paths.locate_database(tmp_path)
    prepare_database(path)
    with closing(connect(path)) as connection:
        prepare_index(connection)
        assert has_triggers(connection)  # there is nothing to watch
        async with open_checkpointer(path):
            pass
        assert not has_triggers(connection)
        connection.execute(PUT)
        prepare_index(connection)
        assert has_triggers(connection)
        assert list_marked(connection) == ["t"]
