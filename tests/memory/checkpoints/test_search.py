import sqlite3
from contextlib import closing

import ormsgpack
import pytest
from langchain_core.messages import AIMessage, HumanMessage

from maxagent.memory.checkpoints.search import read_searchable_texts
from maxagent.memory.database.serializer import StrictSerializer

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
    ("path", "channel", "value", "said"),
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
    path: str, channel: str, value: object, said: list[str]
) -> None:
    assert words((path, channel, value)) == said


@pytest.mark.parametrize("value", [b"\xc1", ormsgpack.packb(7), ormsgpack.packb([{"type": 3}])])
def test_forged_rows_raise_nothing(value: bytes) -> None:
    words((f"{PULL}__start__", "request", value), (PUT_IN, "messages", value))


def test_before_the_first_run_nothing_was_said() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert read_searchable_texts(connection) == {}
