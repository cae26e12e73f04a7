import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import ormsgpack
import pytest
from langchain_core.messages import AIMessage, HumanMessage

from maxagent.memory.checkpoints.messages import (
    ModelMessage,
    read_model_messages,
    read_searchable_texts,
)
from maxagent.memory.checkpoints.serializer import StrictSerializer

PULLED = "~__pregel_pull, coder"


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE TABLE writes (thread_id, checkpoint_ns, checkpoint_id, task_path, channel,"
            " type, value)"
        )
        yield connection


def write(connection: sqlite3.Connection, value: Any, path: str = PULLED, ns: str = "") -> None:
    kind, data = StrictSerializer().dumps_typed(value)
    row = ("t", ns, "c", path, "messages", kind, data)
    connection.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def answer(text: Any = "Yes.", **more: Any) -> AIMessage:
    return AIMessage(text, additional_kwargs={"role": "coder"}, **more)


def test_an_answer_among_briefs_is_found(connection: sqlite3.Connection) -> None:
    write(connection, [HumanMessage("Do it"), answer(), HumanMessage("Next")])
    assert read_model_messages(connection, "t") == {"c": ModelMessage("coder", "Yes.")}


def test_partial_answer_with_notice_is_no_step(connection: sqlite3.Connection) -> None:
    half = AIMessage("Ha", additional_kwargs={"role": "build", "interrupted": True})
    write(connection, [half], "~__pregel_pull, listen")
    assert read_model_messages(connection, "t") == {}


@pytest.mark.parametrize(
    "text", ["ab", ["a", "b"], [{"type": "text", "text": "ab"}], [{"type": "x"}, "ab"]]
)
def test_text_comes_whole_or_in_blocks(connection: sqlite3.Connection, text: Any) -> None:
    write(connection, [answer(text)])
    assert read_model_messages(connection, "t")["c"].text == "ab"


def test_calls_are_named_broken_ones_too(connection: sqlite3.Connection) -> None:
    good = {"name": "edit", "args": {}, "id": "1"}
    broken = {"name": None, "args": "{", "id": "2", "error": None}
    write(connection, [answer(tool_calls=[good], invalid_tool_calls=[broken])])
    assert read_model_messages(connection, "t")["c"] == ModelMessage(
        "coder", "Yes.", ("edit", "?"), ("1", "2")
    )


@pytest.mark.parametrize("row", [{"path": "~__pregel_push, 0"}, {"path": ""}, {"ns": "tools:1"}])
def test_what_no_role_wrote_is_not_looked_at(
    connection: sqlite3.Connection, row: dict[str, str]
) -> None:
    write(connection, [answer()], **row)
    assert read_model_messages(connection, "t") == {}


@pytest.mark.parametrize(
    "value", [b"", b"\xc1", ormsgpack.packb(7), ormsgpack.packb([1, {"type": "human"}])]
)
def test_forged_rows_say_nothing(connection: sqlite3.Connection, value: bytes) -> None:
    row = ("t", "", "c", PULLED, "messages", "msgpack", value)
    connection.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    assert read_model_messages(connection, "t") == {}


PULL, PUT_IN = "~__pregel_pull, ", "~__interrupt__, 0000000000"


def words(*rows: tuple[str, str, object]) -> list[str]:
    """What is heard in writes of the thread `t`: task path, channel, value."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id)")
        connection.execute(
            "CREATE TABLE writes (thread_id, checkpoint_ns, channel, task_path, type, value)"
        )
        for path, channel, value in rows:
            kind, data = ("msgpack", value), StrictSerializer().dumps_typed(value)
            row = ("t", "", channel, path, *(kind if isinstance(value, bytes) else data))
            connection.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?)", row)
        return read_searchable_texts(connection).get("t", [])


@pytest.mark.parametrize(
    ("path", "channel", "value", "names"),
    [
        (f"{PULL}__start__", "request", "Write it", ["Write it"]),
        (f"{PULL}review", "messages", [HumanMessage("Shorter")], ["Shorter"]),
        (PUT_IN, "messages", [HumanMessage("Instead")], ["Instead"]),
        (PUT_IN, "messages", [AIMessage("Half of")], ["Half of"]),
        (f"{PULL}build", "messages", [HumanMessage("(Plan mode)"), AIMessage("Yes")], ["Yes"]),
        ("~__pregel_push, 0", "messages", [HumanMessage("result")], []),
        (f"{PULL}__start__", "folder", "/p", []),
    ],
)
def test_humans_and_models_are_heard(
    path: str, channel: str, value: object, names: list[str]
) -> None:
    assert words((path, channel, value)) == names


@pytest.mark.parametrize("value", [b"\xc1", ormsgpack.packb(7), ormsgpack.packb([{"type": 3}])])
def test_forged_rows_raise_nothing(value: bytes) -> None:
    words((f"{PULL}__start__", "request", value), (PUT_IN, "messages", value))


def test_before_the_first_run_there_are_no_messages() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert read_searchable_texts(connection) == {}
