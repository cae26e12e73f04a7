"""A thread that LangGraph's saver wrote is read back by each function that knows its tables."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from maxagent.memory.checkpoints.checkpoint_pruning import compact_thread
from maxagent.memory.checkpoints.message_merge import merge_messages
from maxagent.memory.checkpoints.messages import read_model_messages, read_searchable_texts
from maxagent.memory.checkpoints.repair import create_tables, fill_lost_checkpoints
from maxagent.memory.checkpoints.steps import read_branches
from maxagent.memory.checkpoints.tables import (
    KEPT_CHANNELS,
    has_tables,
    read_conversation_ids,
    read_last_id,
    read_sizes,
    rebuild_indexes,
)
from maxagent.memory.checkpoints.thread_facts import (
    read_facts,
    read_values,
    read_values_with_request,
)
from maxagent.memory.checkpoints.thread_rows import (
    copy_thread_rows,
    delete_thread_rows,
    insert_thread_rows,
    read_checkpoint_rows,
    read_write_rows,
)
from maxagent.memory.checkpoints.writes import read_channel_writes
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.nodes.state import keep_last_write

T, REQUEST, NEVER = "t", "read a.txt", 1_000_000
CONFIG = {"configurable": {"thread_id": T}, "metadata": {"graph_id": "chat"}}


class State(TypedDict, total=False):
    request: Annotated[str, DeltaChannel(keep_last_write, snapshot_frequency=NEVER)]
    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages, snapshot_frequency=NEVER)]
    steps: int
    outcome: str


async def build(state: State) -> Command[str]:
    role, steps = {"role": "build"}, state.get("steps", 0) + 1
    if steps == 1:
        call = {"name": "read_file", "args": {"path": "a.txt"}, "id": "c1"}
        answer = AIMessage("I read it.", id="m1", tool_calls=[call], additional_kwargs=role)
        target: Any = Send("tools", {"call": call})
    else:
        answer, target = AIMessage("It says x.", id="m3", additional_kwargs=role), "ask"
    return Command(update={"messages": [answer], "steps": steps}, goto=target)


async def run_tool(task: Any) -> Command[str]:
    result = ToolMessage("x", tool_call_id=task["call"]["id"], id="m2")
    return Command(update={"messages": [result]}, goto="build")


async def ask(state: State) -> State:
    interrupt({"action_requests": [{"name": "edit", "args": {}}]})
    return {"outcome": "answered"}


@pytest.fixture
async def connection(tmp_path: Path) -> "Iterator[sqlite3.Connection]":
    """A database with one thread: an answer, a tool's result, an answer, a question."""
    builder = StateGraph(State)
    builder.add_node("build", build, destinations=("tools", "ask"))
    builder.add_node("tools", run_tool, destinations=("build",))
    builder.add_node("ask", ask)
    builder.add_edge(START, "build")
    path = tmp_path / "data" / "threads.db"
    async with open_checkpointer(path) as saver:
        graph: Any = builder.compile(checkpointer=saver)
        await graph.ainvoke({"request": REQUEST, "messages": []}, CONFIG, durability="sync")
    with closing(connect(path)) as connection:
        yield connection


def test_facts_and_values_are_read(connection: sqlite3.Connection) -> None:
    facts = read_facts(connection)[T]
    assert (facts.graph, facts.steps, facts.questions) == ("chat", 2, 1)
    assert facts.created_at < facts.updated_at
    assert read_values(connection, T)["steps"] == 2
    assert read_values_with_request(connection, T)["request"] == REQUEST


def test_sizes_and_ids_are_read(connection: sqlite3.Connection) -> None:
    ids = read_conversation_ids(connection, T)
    assert ids == sorted(ids)
    assert ids[-1] == read_last_id(connection, T)
    assert read_sizes(connection)[T] > 500
    rebuild_indexes(connection)


def test_messages_and_texts_are_read(connection: sqlite3.Connection) -> None:
    first, second = read_model_messages(connection, T).values()
    assert (first.role, first.tools, first.calls) == ("build", ("read_file",), ("c1",))
    assert second.text == "It says x."
    assert read_searchable_texts(connection) == {T: [REQUEST, "I read it.", "It says x."]}


def test_writes_are_read_with_their_nodes(connection: sqlite3.Connection) -> None:
    written = [(write.node, write.channel) for write in read_channel_writes(connection, T)]
    assert written == [
        ("__start__", "request"),
        ("build", "messages"),
        ("tools", "messages"),
        ("build", "messages"),
        ("ask", "__interrupt__"),
    ]


def test_steps_are_read_with_their_messages(connection: sqlite3.Connection) -> None:
    branches = read_branches(connection, T)
    assert [step.message.text for step in branches.steps] == ["", "I read it.", "It says x."]
    assert [point.text for point in branches.messages] == [REQUEST]
    assert branches.tip == read_last_id(connection, T)


def test_rows_are_moved_copied_and_deleted(connection: sqlite3.Connection) -> None:
    rows = read_checkpoint_rows(connection, T), read_write_rows(connection, T)
    insert_thread_rows(connection, "moved", *rows)
    assert (read_checkpoint_rows(connection, "moved"), read_write_rows(connection, "moved")) == rows
    copy_thread_rows(connection, T, read_last_id(connection, T), "fork")
    assert read_model_messages(connection, "fork") == read_model_messages(connection, T)
    for thread in (T, "moved"):
        delete_thread_rows(connection, thread)
    assert read_facts(connection).keys() == {"fork"}


def test_compaction_keeps_the_story(connection: sqlite3.Connection) -> None:
    writes = list(read_channel_writes(connection, T))
    compact_thread(connection, T)
    assert list(read_channel_writes(connection, T)) == writes
    channels = connection.execute("SELECT DISTINCT channel FROM writes").fetchall()
    assert {channel for (channel,) in channels} <= {*KEPT_CHANNELS}


def test_lost_checkpoint_is_filled(connection: sqlite3.Connection) -> None:
    missing = read_conversation_ids(connection, T)[2]
    connection.execute("DELETE FROM checkpoints WHERE checkpoint_id = ?", (missing,))
    assert fill_lost_checkpoints(connection) == {T}
    assert missing in read_conversation_ids(connection, T)
    assert [step.number for step in read_branches(connection, T).steps] == [0, 1, 2]


def test_created_tables_are_those_of_langgraph(connection: sqlite3.Connection) -> None:
    def read_columns(of: sqlite3.Connection) -> list[Any]:
        return [of.execute(f"PRAGMA table_info({name})").fetchall() for name in TABLE_NAMES]

    with closing(sqlite3.connect(":memory:")) as empty:
        create_tables(empty)
        assert read_columns(empty) == read_columns(connection)


TABLE_NAMES = ("checkpoints", "writes")


def test_before_the_first_run_nothing_is_read(tmp_path: Path) -> None:
    prepare_database(tmp_path / "threads.db")
    with closing(connect(tmp_path / "threads.db")) as connection:
        assert not has_tables(connection)
        assert read_last_id(connection, T) == ""
        assert read_conversation_ids(connection, T) == read_checkpoint_rows(connection, T) == []
        assert read_write_rows(connection, T) == list(read_channel_writes(connection, T)) == []
        assert read_sizes(connection) == read_facts(connection) == {}
        assert read_values(connection, T) == read_values_with_request(connection, T) == {}
        rebuild_indexes(connection)
        delete_thread_rows(connection, T)
