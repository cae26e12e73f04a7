import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Interrupt, Overwrite

from maxagent.memory.checkpoints.serializer import StrictSerializer
from maxagent.memory.checkpoints.writes import ChannelWrite, read_channel_writes

T = "t"
IDS = [f"1f0a{number}000-0000-6000-8000-000000000000" for number in range(5)]


class Tables:
    """LangGraph's two tables, written by hand."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.executescript(
            "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
            " parent_checkpoint_id, type, checkpoint, metadata);"
            "CREATE TABLE writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path,"
            " idx, channel, type, value);"
        )

    def chain(self, *ids: str, thread: str = T) -> None:
        for parent, checkpoint in zip([None, *ids], ids, strict=False):
            row = (thread, "", checkpoint, parent, "msgpack", b"", b"")
            self.connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def write(self, at: str, channel: str, value: Any, node: str = "build", idx: int = 0) -> None:
        path = f"~__pregel_pull, {node}" if node else ""
        kind, data = value if isinstance(value, tuple) else StrictSerializer().dumps_typed(value)
        row = (T, "", at, "task", path, idx, channel, kind, data)
        self.connection.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def read(self) -> list[ChannelWrite]:
        return list(read_channel_writes(self.connection, T))


@pytest.fixture
def tables() -> Iterator[Tables]:
    with closing(sqlite3.connect(":memory:")) as connection:
        yield Tables(connection)


def test_before_the_first_run_nothing_was_written() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert list(read_channel_writes(connection, T)) == []
        Tables(connection)
        assert list(read_channel_writes(connection, T)) == []


def test_messages_are_read_one_by_one_in_order(tables: Tables) -> None:
    tables.chain(*IDS[:3])
    tables.write(IDS[1], "messages", [AIMessage("second"), HumanMessage("third")], idx=1)
    tables.write(IDS[0], "request", "first", "__start__")
    tables.write(IDS[1], "told", ["plan", "plan"], idx=0)
    tables.write(IDS[2], "messages", [AIMessage("pending")], "")
    message = [(item.node, item.channel, item.value) for item in tables.read()]
    assert message[:2] == [("__start__", "request", "first"), ("build", "told", ["plan", "plan"])]
    assert [value["content"] for _, _, value in message[2:]] == ["second", "third", "pending"]
    assert [item.checkpoint_id for item in tables.read()] == [*IDS[:1], *[IDS[1]] * 3, IDS[2]]
    assert tables.read()[0].at < tables.read()[1].at == tables.read()[-1].at


def test_abandoned_writes_after_rewind_are_not_read(tables: Tables) -> None:
    tables.chain(*IDS[:2])
    tables.write(IDS[1], "messages", [AIMessage("left")])
    row = (T, "", IDS[3], IDS[0], "msgpack", b"", b"")
    tables.connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    tables.write(IDS[3], "messages", [AIMessage("told")])
    assert [item.value["content"] for item in tables.read()] == ["told"]


def test_a_conversation_that_was_shortened_says_so(tables: Tables) -> None:
    tables.chain(IDS[0])
    tables.write(IDS[0], "messages", Overwrite([AIMessage("short")]), "compact")
    assert [item.value for item in tables.read()] == [None]


def test_questions_are_plain_data(tables: Tables) -> None:
    tables.chain(IDS[0])
    asked = Interrupt(value={"action_requests": [{"name": "edit"}]}, id="x")
    tables.write(IDS[0], "__interrupt__", StrictSerializer().dumps_typed((asked,)))
    assert tables.read()[0].value["value"] == {"action_requests": [{"name": "edit"}]}


def test_a_chain_that_is_a_ring_ends(tables: Tables) -> None:
    tables.chain(IDS[0], IDS[1], IDS[0])
    tables.write(IDS[0], "request", "once", "__start__")
    assert [item.value for item in tables.read()] == ["once"]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "content", "tool_calls", "value", "id", "x"]), inner
        )
    ),
    max_leaves=8,
)


@given(
    st.sampled_from(["messages", "__interrupt__", "told", "request"]),
    st.binary(max_size=20) | PLAIN.map(ormsgpack.packb),
)
def test_forged_rows_raise_nothing(channel: str, value: bytes) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        tables = Tables(connection)
        tables.chain("no id at all")
        tables.write("no id at all", channel, ("msgpack", value))
        assert all(item.at == "" for item in tables.read())
