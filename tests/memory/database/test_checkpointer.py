import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import ormsgpack
import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Overwrite, Send, interrupt
from typing_extensions import TypedDict

from maxagent.config.errors import MaxAgentError
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import prepare_database
from maxagent.memory.threads import thread_id


def append(state: list[AnyMessage], writes: Sequence[Any]) -> list[AnyMessage]:
    return [
        *state,
        *(m for write in writes for m in (write if isinstance(write, list) else [write])),
    ]


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], DeltaChannel(append, snapshot_frequency=3)]
    foreign: Any


class Call(TypedDict):
    n: int


async def think(state: State) -> Command[Any]:
    ai_message = AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": "c"}])
    return Command(update={"messages": [ai_message]}, goto=[Send("act", Call(n=n)) for n in (1, 2)])


async def act(call: Call) -> State:
    return {"messages": [HumanMessage(str(call["n"]))]}


async def ask(state: State) -> State:
    answer = interrupt({"action_requests": [{"name": "review"}]})
    if answer == "foreign":
        return {"foreign": Path("/x")}
    if answer == "compact":
        return {"messages": Overwrite([HumanMessage("summary")])}  # type: ignore[typeddict-item]
    return {"messages": [HumanMessage(answer)]}


def compiled(saver: AsyncSqliteSaver) -> Any:
    builder = StateGraph(State)
    builder.add_node("think", think)
    builder.add_node("act", act, input_schema=Call)
    builder.add_node("ask", ask)
    builder.add_edge(START, "think")
    builder.add_edge("act", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


def config() -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id.create_thread_id()}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "threads.db"


async def begin(path: Path) -> RunnableConfig:
    """A thread that has stopped at its question."""
    cfg = config()
    async with open_checkpointer(path) as saver:
        await compiled(saver).ainvoke({"messages": [HumanMessage("go")]}, cfg, durability="sync")
    return cfg


@pytest.mark.parametrize(
    ("answer", "texts"),
    [("yes", ["go", "", "1", "2", "yes"]), ("compact", ["summary"])],
)
async def test_thread_continues_in_another_process(
    answer: str, texts: list[str], path: Path
) -> None:
    cfg = await begin(path)
    async with open_checkpointer(path) as saver:
        graph = compiled(saver)
        (waiting,) = (await graph.aget_state(cfg)).interrupts
        assert waiting.value == {"action_requests": [{"name": "review"}]}
        await graph.ainvoke(Command(resume={waiting.id: answer}), cfg, durability="sync")
    async with open_checkpointer(path) as saver:
        state = await compiled(saver).aget_state(cfg)
    assert [message.content for message in state.values["messages"]] == texts
    assert state.next == ()


async def test_thread_continues_after_clock_was_set_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cfg, now = await begin(path), time.time_ns
    monkeypatch.setattr(checkpoint_ids, "_last_v6_timestamp", None)  # as in another process
    monkeypatch.setattr(time, "time_ns", lambda: now() - 3600 * 10**9)
    async with open_checkpointer(path) as saver:
        graph = compiled(saver)
        waiting = await graph.aget_state(cfg)
        await graph.ainvoke(Command(resume="yes"), cfg, durability="sync")
        ended = await graph.aget_state(cfg)
    assert ended.metadata["step"] == waiting.metadata["step"] + 1
    assert ended.values["messages"][-1].content == "yes"


async def test_every_step_is_on_disk_before_next(path: Path) -> None:
    async with open_checkpointer(path) as saver:
        output = {}
        for name in ("synchronous", "journal_mode", "busy_timeout"):
            async with saver.conn.execute(f"PRAGMA {name}") as rows:
                output[name] = (await rows.fetchone() or [None])[0]
    assert output == {"synchronous": 2, "journal_mode": "wal", "busy_timeout": 30000}
    assert oct(path.stat().st_mode & 0o777) == "0o600"


async def test_step_returning_foreign_object_fails_thread_is_kept(
    path: Path,
) -> None:
    cfg = await begin(path)
    async with open_checkpointer(path) as saver:
        graph = compiled(saver)
        with pytest.raises(MaxAgentError, match="a step returned a `pathlib"):
            await graph.ainvoke(Command(resume="foreign"), cfg, durability="sync")
        state = await graph.aget_state(cfg)
        assert (state.next, len(state.values["messages"])) == (("ask",), 4)


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
async def test_a_forged_row_in_the_file_runs_nothing(table: str, path: Path) -> None:
    cfg = await begin(path)
    made = path.with_name("made")
    call = ormsgpack.packb(["os", "mkdir", str(made)])
    value = ormsgpack.packb({"channel_values": {"messages": ormsgpack.Ext(0, call)}})
    column = {"checkpoints": "checkpoint", "writes": "value"}[table]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE {table} SET type = 'msgpack', {column} = ?", (value,))
        connection.commit()
    async with open_checkpointer(path) as saver:
        with pytest.raises(MaxAgentError, match=r"the thread's data holds a `os\.mkdir`"):
            await compiled(saver).aget_state(cfg)
    assert not made.exists()


async def test_damage_met_by_the_saver_is_explained(path: Path) -> None:
    cfg = await begin(path)
    good = path.read_bytes()
    path.write_bytes(good[:8192] + b"\xaa" * (len(good) - 8192))
    with pytest.raises(MaxAgentError, match="it was moved to"):
        async with open_checkpointer(path) as saver:
            await compiled(saver).aget_state(cfg)
    assert prepare_database(path).set_aside is None
