"""Graphs of jobs as other clients of LangGraph use them: edited, drawn, without a context."""

import operator
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from edited_threads import ENDED, SCENARIOS, WRITE, EditedThread, Scenario, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from maxagent.config.errors import UsageError
from maxagent.graphs import chat, edit, subagent, task
from maxagent.graphs.job_graph import READ, SEND, InputWriter
from maxagent.nodes.run.context import Context

ANSWERING = Scenario("chat", {"build": [says("Hello."), *[says("Again.")] * 2]})


@pytest.fixture(autouse=True)
def servers_of_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))


@pytest.fixture
async def thread(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[EditedThread]:
    opened = EditedThread(request.param, tmp_path)
    yield opened
    await opened.context.pool.close()


@pytest.mark.parametrize("thread", SCENARIOS.values(), ids=SCENARIOS, indirect=True)
async def test_edited_thread_goes_on_to_its_end(thread: EditedThread) -> None:
    assert await thread.record() in ENDED
    nodes = thread.nodes
    # every checkpoint without a node, each with one more: `make torture-edits` tries all pairs
    pairs = [
        (state, node)
        for number, state in enumerate(thread.states)
        for node in (None, nodes[1 + number % (len(nodes) - 1)])
    ]
    outcomes = {
        (state.metadata["step"], state.next, node): await thread.continue_edited(state, node)
        for state, node in pairs
    }
    assert {pair: end for pair, end in outcomes.items() if end not in ENDED} == {}


@pytest.mark.parametrize("thread", [ANSWERING], ids=["chat"], indirect=True)
async def test_graph_runs_without_a_context(thread: EditedThread) -> None:
    ended = await thread.graph.ainvoke(thread.input, thread.thread)
    assert (ended["outcome"], ended["summary"]) == ("answered", "Hello.")
    again = {"request": "and again"}  # the thread knows its folder
    for mapping in ({}, {"mode": "read-only"}):
        ended = await thread.graph.ainvoke(again, thread.thread, context=mapping)
    assert ended["summary"] == "Again."


class ParentState(TypedDict, total=False):
    """A parent of a job's graph; it shares some of its keys."""

    request: str
    folder: str
    options: dict[str, Any]
    summary: str
    log: Annotated[list[str], operator.add]


class ParentContext(TypedDict):
    """A context of the parent's own."""

    user: str


@pytest.mark.parametrize("thread", [ANSWERING], ids=["chat"], indirect=True)
@pytest.mark.parametrize("schema", [None, ParentContext, Context])
async def test_parent_graph_reads_the_answer(thread: EditedThread, schema: Any) -> None:
    parent: Any = StateGraph(ParentState, schema)
    parent.add_node("agent", chat.build_graph().compile())
    parent.add_node("after", lambda state: {"log": [state["summary"]]})
    parent.add_edge(START, "agent")
    parent.add_edge("agent", "after")
    parent.add_edge("after", END)
    context = {None: None, ParentContext: {"user": "Ada"}, Context: thread.context}[schema]
    graph = parent.compile(checkpointer=InMemorySaver())
    ended = await graph.ainvoke(thread.input, thread.thread, context=context)
    assert ended["log"] == ["Hello."]


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        ({"messages": [{"role": "user", "content": "hi"}]}, "no `request`, `folder`;"),
        ({"messages": ["hi"], "folder": "/"}, "no `request`;"),
        ({"request": "hi"}, "no `folder`;"),
        ({"request": "hi", "folder": ""}, "no `folder`;"),
        ({"folder": "/", "options": {}}, "no `request`;"),
        ({}, "no `request`, `folder`;"),
    ],
)
@pytest.mark.parametrize("graph", [chat, edit, task], ids=["chat", "edit", "task"])
async def test_incomplete_input_gets_a_sentence(graph: Any, value: Any, missing: str) -> None:
    with pytest.raises(UsageError, match=missing):
        await graph.build_graph().compile().ainvoke(value)


@pytest.mark.parametrize("graph", [chat, edit, task, subagent])
def test_synchronous_call_is_refused_with_a_sentence(graph: Any) -> None:
    compiled = graph.build_graph().compile()
    for call in (compiled.invoke, compiled.stream):
        with pytest.raises(UsageError, match="use `ainvoke` or `astream`"):
            call({"request": "hi", "folder": "/"})


@pytest.mark.parametrize(
    ("graph", "line"),
    [
        (task, (START, "architect", "coder", "verify", "tester", "review", END)),
        (chat, (START, "listen", "compact", "build", END)),
        (edit, (START, "editor", END)),
        (subagent, (START, "agent", END)),
    ],
)
async def test_drawn_main_line_is_solid(graph: Any, line: tuple[str, ...]) -> None:
    for drawn in (graph.graph.get_graph(), await graph.graph.aget_graph(xray=True)):
        solid = {(edge.source, edge.target) for edge in drawn.edges if not edge.conditional}
        assert {*zip(line, line[1:], strict=False)} <= solid
        dashed = [edge for edge in drawn.edges if edge.conditional and edge.source != START]
        assert dashed and all(item.data for item in dashed if ":" not in item.source + item.target)
    plain = graph.graph.get_graph()
    assert sum(not edge.conditional for edge in plain.edges) == len(line) - 1


async def test_write_of_a_person_completes_a_first_input(tmp_path: Path) -> None:
    thread = EditedThread(ANSWERING, tmp_path)
    await thread.record()
    written = await thread.graph.aupdate_state(thread.states[-1].config, {"request": "other"})
    state = await thread.graph.aget_state(written)
    assert (state.next, state.values["request"]) == (("listen",), "other")
    assert state.values["folder"] == thread.input["folder"]
    await thread.context.pool.close()


@pytest.mark.parametrize(
    ("turn", "answer", "is_run"),
    [
        (says(write_file=WRITE), "yes", True),
        (says(write_file=WRITE), True, True),
        (says(write_file=WRITE), {"type": "accept"}, True),
        (says(write_file=WRITE), "no", False),
        (says(write_file=WRITE), False, False),
        (says(ask_user={"question": "Which?"}), "blue", False),
    ],
)
async def test_plain_answer_does_what_is_meant(
    tmp_path: Path, turn: Any, answer: Any, is_run: bool
) -> None:
    thread = EditedThread(Scenario("chat", {"build": [turn, says("Done.")]}), tmp_path)
    await thread.graph.ainvoke(thread.input, thread.thread)
    ended = await thread.graph.ainvoke(Command(resume=answer), thread.thread)
    assert ended["summary"] == "Done." and "__interrupt__" not in ended
    assert (thread.folder / "log.txt").exists() is is_run
    assert answer != "blue" or ended["messages"][-2].text == "blue"


@pytest.mark.parametrize(
    "answer", ["maybe", 7, {"a": 1}, {"decisions": []}, [True], {"type": "what"}]
)
async def test_unclear_answer_gets_the_expected_form(tmp_path: Path, answer: Any) -> None:
    turns = [says(write_file=WRITE), says("Done.")]
    thread = EditedThread(Scenario("chat", {"build": turns}), tmp_path)
    await thread.graph.ainvoke(thread.input, thread.thread)
    again = await thread.graph.ainvoke(Command(resume=answer), thread.thread)
    (question,) = again["__interrupt__"]
    assert '{"type": "approve" | "edit" | "reject" | "respond"}' in question.value["error"]
    ended = await thread.graph.ainvoke(Command(resume={question.id: "yes"}), thread.thread)
    assert ended["summary"] == "Done." and (thread.folder / "log.txt").exists()


STALE = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({STALE: "yes"}, f"`{STALE}` is not open"),
        ({STALE: {"decisions": [{"type": "approve"}]}}, f"`{STALE}` is not open"),
        ("first", "is not open"),
        ({}, "names none of the open questions"),
        ("both", "is not open"),
    ],
)
async def test_stale_answer_is_reported_and_changes_nothing(
    tmp_path: Path, answer: Any, reason: str
) -> None:
    other = {"path": "other.txt", "content": "y\n"}
    turns = [says(write_file=WRITE), says(write_file=other), says("Done.")]
    thread = EditedThread(Scenario("chat", {"build": turns}), tmp_path)
    asked = await thread.graph.ainvoke(thread.input, thread.thread)
    (first,) = asked["__interrupt__"]
    asked = await thread.graph.ainvoke(Command(resume={first.id: "yes"}), thread.thread)
    (second,) = asked["__interrupt__"]
    answers = {"first": {first.id: "yes"}, "both": {first.id: "yes", second.id: "yes"}}
    given = answers.get(answer, answer) if isinstance(answer, str) else answer
    with pytest.raises(UsageError, match=reason) as raised:
        await thread.graph.ainvoke(Command(resume=given), thread.thread)
    assert second.id in raised.value.hint
    assert not (thread.folder / "other.txt").exists()
    ended = await thread.graph.ainvoke(Command(resume={second.id: "yes"}), thread.thread)
    assert ended["summary"] == "Done." and (thread.folder / "other.txt").exists()


async def test_word_for_several_questions_is_reported(tmp_path: Path) -> None:
    children = [{"agent_type": "explore", "task": f"look at {name}"} for name in ("one", "two")]
    looks = says(webfetch={"url": "https://one.example"})
    turns = {
        "build": [says(subagent={"tasks": children}), says("Done.")],
        "explore": [looks, says("Seen.")],
    }
    thread = EditedThread(Scenario("chat", turns), tmp_path)
    asked = await thread.graph.ainvoke(thread.input, thread.thread)
    assert len(asked["__interrupt__"]) == 2
    with pytest.raises(UsageError, match="names none of the open questions"):
        await thread.graph.ainvoke(Command(resume="no"), thread.thread)
    answers = {question.id: "no" for question in asked["__interrupt__"]}
    ended = await thread.graph.ainvoke(Command(resume=answers), thread.thread)
    assert ended["summary"] == "Done."


@pytest.mark.parametrize("model", ["openai/served", ""], ids=["model", "none"])
@pytest.mark.parametrize("options", ["auto", 5, ["auto"], True, ("mode", "auto")], ids=repr)
def test_options_that_are_no_object_are_refused(options: object, model: str) -> None:
    functions: dict[str, Any] = {READ: lambda keys: {}, SEND: lambda writes: None}
    task_input = {"request": "x", "folder": "/x", "options": options}
    with pytest.raises(UsageError, match="`options` is not a JSON object"):
        InputWriter(model).invoke(task_input, {"configurable": functions})
