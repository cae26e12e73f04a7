import operator
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from maxagent.graphs import chat, edit, task
from maxagent.memory.checkpoints.messages import ModelMessage
from maxagent.memory.checkpoints.steps import (
    BUSY_NODES,
    VERIFICATION_NODES,
    ThreadBranches,
    read_branches,
)
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.nodes.roles import RoleName

THREAD = "t"
CONFIG = {"configurable": {"thread_id": THREAD}}


class State(TypedDict, total=False):
    messages: Annotated[list[Any], operator.add]
    steps: int
    file_entry: int
    turn: int


def answer(state: State, role: str, text: Any, *tools: str) -> dict[str, Any]:
    number = state.get("steps", 0) + 1
    calls = [{"name": name, "args": {}, "id": f"{number}-{name}"} for name in tools]
    ai_message = AIMessage(text, tool_calls=calls, additional_kwargs={"role": role})
    return {"messages": [ai_message], "steps": number, "turn": state.get("turn", 1)}


async def architect(state: State) -> Command:
    return Command(goto="coder", update=answer(state, "architect", "A plan.\nIn two lines."))


async def coder(state: State) -> Command:
    if state["steps"] < 3:
        text = [{"type": "text", "text": "I "}, {"type": "text", "text": "work"}]
        return Command(goto="approve", update=answer(state, "coder", text, "edit", "grep"))
    return Command(goto="verify", update=answer(state, "coder", "Done."))


async def approve(state: State) -> Command:
    return Command(goto=[Send("tools", call) for call in state["messages"][-1].tool_calls])


async def tools(call: dict[str, Any]) -> Command:
    if call["name"] == "grep":
        return Command(goto="coder")
    tool_message = ToolMessage("x" * 99, tool_call_id=call["id"], name=call["name"])
    return Command(
        goto="coder", update={"messages": [tool_message], "file_entry": int(call["id"][0]) * 2}
    )


async def verify(state: State) -> Command:
    return Command(goto="review")


async def review(state: State) -> Command:
    if interrupt("?") == "more":
        return Command(goto="coder", update={"turn": 2})
    return Command(goto=END)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    prepare_database(tmp_path / "threads.db")
    return tmp_path / "threads.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(path)) as connection:
        yield connection


@pytest.fixture
async def graph(path: Path):
    builder = StateGraph(State)
    for node in (architect, coder, approve, tools, verify, review):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "architect")
    async with open_checkpointer(path) as saver:
        yield builder.compile(checkpointer=saver)


async def run(graph: Any, value: Any = None, **stop: Any) -> None:
    await graph.ainvoke(value, CONFIG, durability="sync", **stop)


async def go_back(graph: Any, to: str) -> None:
    config = {"configurable": {"thread_id": THREAD, "checkpoint_ns": "", "checkpoint_id": to}}
    await graph.aupdate_state(config, None, as_node="__copy__")


def numbers(thread_branches: ThreadBranches) -> list[int]:
    return [step.number for step in thread_branches.steps]


def test_a_thread_without_checkpoints_has_no_steps(connection: sqlite3.Connection) -> None:
    assert read_branches(connection, THREAD) == ThreadBranches()


async def test_each_model_answer_is_a_step(graph: Any, connection: sqlite3.Connection) -> None:
    await run(graph, {"messages": []})
    await run(graph, Command(resume="good"))
    steps = read_branches(connection, THREAD).steps
    assert [step.message for step in steps] == [
        ModelMessage(),
        ModelMessage("architect", "A plan.\nIn two lines."),
        ModelMessage("coder", "I work", ("edit", "grep"), ("2-edit", "2-grep")),
        ModelMessage("coder", "I work", ("edit", "grep"), ("3-edit", "3-grep")),
        ModelMessage("coder", "Done."),
    ]
    assert [step.number for step in steps] == [0, 1, 2, 3, 4]
    assert [step.next for step in steps] == ["architect", "coder", "coder", "coder", ""]
    assert [step.file_entry for step in steps] == [0, 0, 4, 6, 6]
    assert [step.turn for step in steps] == [0, 1, 1, 1, 1]
    ages = [datetime.now(UTC) - datetime.fromisoformat(step.at) for step in steps]
    assert timedelta(minutes=1) > ages[0] > ages[1] > ages[2] > ages[3] > ages[4] > timedelta()


@pytest.mark.parametrize("node", ["tools", "approve"])
async def test_step_with_running_calls_cannot_be_rewound_to(
    graph: Any, connection: sqlite3.Connection, node: str
) -> None:
    await run(graph, {"messages": []}, interrupt_before=[node])
    steps = read_branches(connection, THREAD).steps
    assert [bool(step.checkpoint_id) for step in steps] == [True, True, False]
    assert (steps[-1].next, steps[-1].message.tools) == (node, ("edit", "grep"))


async def test_the_last_step_may_wait_for_its_judgement(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    last = read_branches(connection, THREAD).steps[-1]
    assert (last.number, last.next, bool(last.checkpoint_id)) == (4, "review", True)


async def test_remark_continues_from_its_step(graph: Any, connection: sqlite3.Connection) -> None:
    await run(graph, {"messages": []})
    await run(graph, Command(resume="more"))
    steps = read_branches(connection, THREAD).steps
    assert [(step.number, step.next, step.turn) for step in steps[-2:]] == [
        (4, "coder", 2),
        (5, "review", 2),
    ]


async def test_abandoned_steps_after_rewind_are_found(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    before = read_branches(connection, THREAD)
    await go_back(graph, before.steps[2].checkpoint_id)
    after = read_branches(connection, THREAD)
    assert numbers(after) == [0, 1, 2]
    assert after.steps[2].message == before.steps[2].message
    assert after.abandoned == (before.steps[3:],)
    assert after.find_step(2) == after.steps[2] and after.find_step(4) == before.steps[4]
    assert after.find_step(9) is None
    assert after.origins == (after.steps[2].checkpoint_id,)


async def test_each_branch_begins_after_its_step(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    first = read_branches(connection, THREAD).steps
    await go_back(graph, first[2].checkpoint_id)
    await run(graph)
    second = read_branches(connection, THREAD).steps
    await go_back(graph, second[3].checkpoint_id)
    await go_back(graph, first[1].checkpoint_id)
    after = read_branches(connection, THREAD)
    drawn = {step.checkpoint_id: step for steps in after.abandoned for step in steps}
    drawn |= {step.checkpoint_id: step for step in after.steps}
    begins = [
        (drawn[origin].number, steps[0].number)
        for steps, origin in zip(after.abandoned, after.origins, strict=True)
    ]
    assert begins and all(first == before + 1 for before, first in begins)
    assert all(after.find_step(step.number, id_) == step for id_, step in drawn.items())
    assert after.find_step(3, "nowhere") is None


async def test_turn_abandoned_before_its_answer_is_no_step(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    await run(graph, Command(resume="good"))
    before = read_branches(connection, THREAD)
    await run(graph, {"messages": []}, interrupt_before=["architect"])
    assert read_branches(connection, THREAD).steps[-1].number == 4
    await go_back(graph, before.steps[4].checkpoint_id)
    assert (read_branches(connection, THREAD).abandoned, numbers(before)) == ((), [0, 1, 2, 3, 4])
    await go_back(graph, before.steps[3].checkpoint_id)
    assert [
        [step.number for step in remaining]
        for remaining in read_branches(connection, THREAD).abandoned
    ] == [[4]]


async def test_going_forward_again_has_the_steps_back(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    before = read_branches(connection, THREAD)
    await go_back(graph, before.steps[1].checkpoint_id)
    await go_back(graph, before.steps[3].checkpoint_id)
    after = read_branches(connection, THREAD)
    assert numbers(after) == [0, 1, 2, 3]
    assert [[step.number for step in branch] for branch in after.abandoned] == [[4]]


async def test_message_after_rewind_precedes_abandoned_steps(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    old = read_branches(connection, THREAD).steps
    await go_back(graph, old[2].checkpoint_id)
    await run(graph, interrupt_before=["verify"])
    branches = read_branches(connection, THREAD)
    assert numbers(branches) == [0, 1, 2, 3, 4]
    assert branches.find_step(3) != old[3] and branches.abandoned == (old[3:],)


async def test_it_needs_no_langgraph(graph: Any, path: Path) -> None:
    await run(graph, {"messages": []})
    script = (
        "import sys; from maxagent.memory.checkpoints.steps import read_branches;"
        "from maxagent.memory.database.connection import connect; from pathlib import Path;"
        "print(len(read_branches(connect(Path(sys.argv[1])), 't').steps),"
        " 'langgraph' in sys.modules, 'langchain_core' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert ran.stdout.split() == ["5", "False", "False"]


async def test_damaged_rows_are_steps_without_words(
    graph: Any, connection: sqlite3.Connection
) -> None:
    await run(graph, {"messages": []})
    connection.execute("UPDATE writes SET value = x'c1' WHERE channel = 'messages'")
    steps = read_branches(connection, THREAD).steps
    assert {step.message for step in steps} == {ModelMessage()} and len(steps) == 5
    connection.execute("UPDATE checkpoints SET checkpoint = x'c1'")
    assert [step.number for step in read_branches(connection, THREAD).steps] == [0]


def test_graph_nodes_without_role_are_known() -> None:
    nodes = {*task.build_graph().nodes, *edit.build_graph().nodes, *chat.build_graph().nodes}
    roles = set(get_args(RoleName)) - {"agent"}  # of a child, whose steps nobody rewinds to
    assert nodes == BUSY_NODES - {"__start__"} | VERIFICATION_NODES | roles
