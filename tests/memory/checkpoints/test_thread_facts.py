import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from maxagent.memory.checkpoints.tables import read_sizes
from maxagent.memory.checkpoints.thread_facts import read_facts, read_values
from maxagent.memory.checkpoints.thread_rows import delete_thread_rows
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.memory.threads import thread_id


class State(TypedDict, total=False):
    steps: int


async def step(state: State) -> State:
    return {"steps": state.get("steps", 0) + 1}


async def ask(state: State) -> State:
    interrupt("?")
    return {}


async def run(path: Path, thread: str, *, answer: bool) -> None:
    builder = StateGraph(State)
    builder.add_node("one", step)
    builder.add_node("two", step)
    builder.add_node("ask", ask)
    for above, below in zip((START, "one", "two", "ask"), ("one", "two", "ask", END), strict=True):
        builder.add_edge(above, below)
    async with open_checkpointer(path) as saver:
        graph: Any = builder.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": thread}, "metadata": {"graph_id": "task"}}
        await graph.ainvoke({"steps": 0}, config, durability="sync")
        if answer:
            await graph.ainvoke(Command(resume="x"), config, durability="sync")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "threads.db"
    prepare_database(path)
    return path


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(path)) as connection:
        yield connection


def test_queries_without_langgraph_tables_return_nothing(
    connection: sqlite3.Connection,
) -> None:
    assert read_facts(connection) == {}
    delete_thread_rows(connection, thread_id.create_thread_id())


async def test_real_threads_are_read_as_they_are(
    path: Path, connection: sqlite3.Connection
) -> None:
    waiting, ended = sorted([thread_id.create_thread_id(), thread_id.create_thread_id()])
    await run(path, waiting, answer=False)
    await run(path, ended, answer=True)
    facts = read_facts(connection)
    assert list(facts) == [waiting, ended]
    assert (facts[waiting].steps, facts[waiting].questions) == (2, 1)
    assert (facts[ended].steps, facts[ended].questions) == (2, 0)
    assert {fact.graph for fact in facts.values()} == {"task"}
    for fact in facts.values():
        process, used = map(datetime.fromisoformat, (fact.created_at, fact.updated_at))
        assert timedelta() <= datetime.now(UTC) - used < timedelta(minutes=1)
        assert timedelta() < used - process < timedelta(minutes=1)


async def test_delete_thread_keeps_other_threads(
    path: Path, connection: sqlite3.Connection
) -> None:
    missing, retained = thread_id.create_thread_id(), thread_id.create_thread_id()
    await run(path, missing, answer=False)
    await run(path, retained, answer=False)
    delete_thread_rows(connection, missing)
    assert list(read_facts(connection)) == [retained]
    rows = connection.execute("SELECT DISTINCT thread_id FROM writes").fetchall()
    assert rows == [(retained,)]


@pytest.mark.parametrize(
    ("checkpoint_id", "metadata"),
    [
        ("", None),
        ("not a uuid", b""),
        ("zz-1", b"not json"),
        ("f" * 32, b"[1]"),
        ("1ef", b'{"step": "many", "graph_id": 7}'),
        ("1ef", b'{"step": -1}'),
        ("1ef", b"\xff\xfe"),
    ],
)
async def test_a_forged_row_is_no_obstacle(
    checkpoint_id: str, metadata: bytes | None, path: Path, connection: sqlite3.Connection
) -> None:
    async with open_checkpointer(path):
        pass
    row = ("'; DROP TABLE threads; --", checkpoint_id, metadata)
    connection.execute(
        "INSERT INTO checkpoints (thread_id, checkpoint_id, metadata) VALUES (?, ?, ?)", row
    )
    (fact,) = read_facts(connection).values()
    assert (fact.steps, fact.questions) == (0, 0)
    delete_thread_rows(connection, row[0])
    assert read_facts(connection) == {}


@pytest.mark.parametrize(
    "blob", [None, b"", b"\xc1", b"\x01", ormsgpack.packb({"channel_values": 7}), "text"]
)
async def test_the_values_of_a_forged_row_are_empty(
    blob: object, path: Path, connection: sqlite3.Connection
) -> None:
    async with open_checkpointer(path):
        pass
    row = ("t", "1ef", blob)
    connection.execute(
        "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint) VALUES (?, ?, ?)", row
    )
    assert read_values(connection, "t") == {}


async def test_the_values_of_a_real_thread_are_plain(
    path: Path, connection: sqlite3.Connection
) -> None:
    thread = thread_id.create_thread_id()
    await run(path, thread, answer=True)
    assert read_values(connection, thread)["steps"] == 2


async def test_the_bytes_of_each_thread_are_counted(
    path: Path, connection: sqlite3.Connection
) -> None:
    short, long = thread_id.create_thread_id(), thread_id.create_thread_id()
    await run(path, short, answer=False)
    await run(path, long, answer=True)
    sizes = read_sizes(connection)
    assert sizes.keys() == {short, long} and 500 < sizes[short] < sizes[long]
