"""Real tasks that ask in parallel, as LangGraph keeps them."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from maxagent.memory.checkpoints.open_questions import OpenQuestion, read_open_questions
from maxagent.memory.checkpoints.thread_facts import read_facts
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect, prepare_database

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"
CONFIG: Any = {"configurable": {"thread_id": THREAD}}
Run = Callable[[object], Awaitable[list[OpenQuestion]]]


class State(TypedDict, total=False):
    agent: str


async def send(state: State) -> Command[str]:
    return Command(goto=[Send("ask", {"agent": f"explore-{number}"}) for number in (1, 2, 3)])


async def ask(state: dict[str, str]) -> State:
    if state["agent"] == "explore-1":
        interrupt({"type": "limit", "description": "too long", **state})
    else:
        call = {"name": "run_command", "args": {"command": state["agent"]}}
        for _ in range(2):
            interrupt({"action_requests": [call], **state})
    return {}


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Run]:
    """Runs the graph with that input; returns the questions then open."""
    path = tmp_path / "data" / "threads.db"
    prepare_database(path)
    builder = StateGraph(State)
    builder.add_node("send", send, destinations=("ask",))
    builder.add_node("ask", ask)
    builder.add_edge(START, "send")
    async with open_checkpointer(path) as saver:
        graph: Any = builder.compile(checkpointer=saver)

        async def run(value: object) -> list[OpenQuestion]:
            await graph.ainvoke(value, CONFIG, durability="sync")
            with closing(connect(path)) as connection:
                questions = read_open_questions(connection, THREAD)
                assert read_facts(connection)[THREAD].questions == len(questions)
            state = await graph.aget_state(CONFIG)
            assert {question.id for question in questions} == {item.id for item in state.interrupts}
            return questions

        yield run


async def test_answered_tasks_wait_no_more(run: Run) -> None:
    asked = await run({"agent": ""})
    assert [item.agent for item in asked] == ["explore-2", "explore-3", "explore-1"]
    assert asked[0].requests[0]["args"] == {"command": "explore-2"}
    limit = asked[2].id
    asked = await run(Command(resume={asked[1].id: "yes"}))  # it asks once more
    assert [item.agent for item in asked] == ["explore-2", "explore-3", "explore-1"]
    asked = await run(Command(resume={asked[1].id: "yes", limit: "go on"}))
    assert [item.agent for item in asked] == ["explore-2"]
    for _ in range(2):
        asked = await run(Command(resume={item.id: "yes" for item in asked}))
    assert asked == []


def test_thread_without_checkpoints_asks_nothing() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert read_open_questions(connection, THREAD) == []
