"""What is kept in memory is what LangGraph's own saver reads from the disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import aiosqlite
import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite
from typing_extensions import TypedDict

from maxagent.memory.checkpoints.serializer import StrictSerializer
from maxagent.memory.checkpoints.tables import STORY
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.nodes.state import State as ThreadState
from maxagent.nodes.state import keep_last_write, merge_messages


class State(TypedDict, total=False):
    request: Annotated[str, DeltaChannel(keep_last_write, snapshot_frequency=4)]
    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages, snapshot_frequency=5)]


async def answer(state: State) -> dict[str, Any]:
    request = state.get("request", "")
    human_messages = [HumanMessage(request, id=f"q{request}"), AIMessage("a", id=f"a{request}")]
    if request == "3":
        return {"messages": [*human_messages, RemoveMessage(id="q1")]}
    if request == "6":
        return {"messages": Overwrite(human_messages)}
    return {"messages": human_messages}


def compiled(saver: AsyncSqliteSaver) -> Any:
    builder = StateGraph(State)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}


async def talk(graph: Any, requests: Sequence[int]) -> None:
    for number in requests:
        await graph.ainvoke({"request": str(number)}, CONFIG, durability="sync")


async def states(graph: Any) -> list[Any]:
    return [(item.config, item.values) async for item in graph.aget_state_history(CONFIG)]


async def go_back(graph: Any) -> None:
    history = [item async for item in graph.aget_state_history(CONFIG)]
    await graph.aupdate_state(history[len(history) // 2].config, None, as_node="__copy__")


@pytest.mark.parametrize("turns", [1, 5, 9])
async def test_every_checkpoint_has_the_same_messages(tmp_path: Path, turns: int) -> None:
    path = tmp_path / "data" / "threads.db"
    async with open_checkpointer(path) as saver:
        graph = compiled(saver)
        await talk(graph, range(turns))
        await go_back(graph)
        await talk(graph, range(20, 20 + turns))
        ours = await states(graph)
    async with aiosqlite.connect(path) as connection:
        stock = AsyncSqliteSaver(connection, serde=StrictSerializer())
        theirs = await states(compiled(stock))
    assert ours == theirs
    assert len(ours[0][1]["messages"]) > turns


async def test_what_another_process_added_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "data" / "threads.db"
    async with open_checkpointer(path) as first, open_checkpointer(path) as second:
        await talk(compiled(first), [0, 1])
        await talk(compiled(second), [2])
        state = await compiled(first).aget_state(CONFIG)
    assert [message.id for message in state.values["messages"]] == [
        "q0",
        "a0",
        "q1",
        "a1",
        "q2",
        "a2",
    ]


def test_what_is_replayed_is_never_forgotten() -> None:
    replayed = {
        name
        for name, kind in ThreadState.__annotations__.items()
        if "DeltaChannel" in str(getattr(kind, "__metadata__", ""))
    }
    assert {"request", "messages"} <= replayed <= {*STORY}


def test_no_channel_has_digits_in_its_name() -> None:
    # the walk compares the checkpoints' metadata without their numbers
    assert not [name for name in ThreadState.__annotations__ if any(map(str.isdigit, name))]
