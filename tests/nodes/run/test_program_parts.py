"""A program's tools, model and hooks in the plain graphs, given as they are to `Runner`."""

import json
import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from maxagent import UsageError, tool, trust
from maxagent.graphs import chat, edit, task
from maxagent.nodes.run.context import Context

THREAD: Any = {"configurable": {"thread_id": "1"}}
done = list[str]()


@tool(effect="read")
def count(item: str) -> int:
    """Count an item."""
    done.append(f"count {item}")
    return 7


async def order(item: str) -> str:
    """Order an item."""
    done.append(f"order {item}")
    return "ordered"


@langchain_tool
def look_up(item: str) -> str:
    """Look an item up."""
    done.append(f"look up {item}")
    return "found"


class Own(BaseChatModel):
    """Answers with text, and as the roles of a task."""

    model_name: str = "own-model"

    @property
    def _llm_type(self) -> str:
        return "own"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        is_architect = "architect" in str(messages[0].content)[:400].lower()
        answer = AIMessage("SMALL: a.py" if is_architect else "I am your own.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    done.clear()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    folder.mkdir()
    trust(folder, tmp_path / "home")
    return folder


def play(project: Path, *turns: Any) -> dict[str, Any]:
    """The input of a chat with this model."""
    script = project.parent / "script.json"
    script.write_text(json.dumps([*turns, {"text": "Done."}]))
    return {
        "request": "Go.",
        "folder": str(project),
        "options": {"model": f"scripted/{script}", "mode": "ask"},
    }


def call(name: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": {"item": "bolts"}}]}


@pytest.mark.parametrize(
    ("part", "name", "asks", "effect"),
    [
        (count, "count", False, "count bolts"),
        (order, "order", True, "order bolts"),
        (look_up, "look_up", True, "look up bolts"),
    ],
)
@pytest.mark.parametrize("context", [None, {}, {"mode": "ask"}, "object"])
async def test_graph_calls_the_tools_of_program(
    project: Path, part: Any, name: str, asks: bool, effect: str, context: Any
) -> None:
    graph = chat.build_graph(tools=[part]).compile(checkpointer=InMemorySaver())
    given = Context(home=str(project.parent / "home")) if context == "object" else context
    state = await graph.ainvoke(play(project, call(name)), THREAD, context=given)
    assert bool(state.get("__interrupt__")) is asks and done == ([] if asks else [effect])
    if asks:
        state = await graph.ainvoke(Command(resume="yes"), THREAD, context=given)
    assert (state["summary"], done) == ("Done.", [effect])


class Ticket(TypedDict, total=False):
    """A parent's state."""

    request: str
    folder: str
    options: dict[str, Any]
    summary: str
    log: Annotated[list[str], operator.add]


@pytest.mark.parametrize("schema", [None, Context])
async def test_node_of_a_parent_has_its_tools(project: Path, schema: Any) -> None:
    builder: Any = StateGraph(Ticket, schema)
    builder.add_node("agent", chat.build_graph(tools=[count]).compile())
    builder.add_node("after", lambda state: {"log": [state["summary"]]})
    builder.add_edge(START, "agent")
    builder.add_edge("agent", "after")
    builder.add_edge("after", END)
    context = schema() if schema else None
    state = await builder.compile().ainvoke(play(project, call("count")), context=context)
    assert (state["log"], done) == (["Done."], ["count bolts"])


@pytest.mark.parametrize("graph", [chat, task, edit], ids=["chat", "task", "edit"])
async def test_graph_asks_the_model_of_program(project: Path, graph: Any) -> None:
    compiled = graph.build_graph(model=Own()).compile(checkpointer=InMemorySaver())
    options = {"files": ["a.py"]} if graph is edit else {}
    value = {"request": "Go.", "folder": str(project), "options": options}
    state = await compiled.ainvoke(value, THREAD)
    assert state["messages"][-1].text == "I am your own."
    assert state["options"]["model"] == "program/own-model"


async def test_thread_keeps_its_model(project: Path) -> None:
    saver = InMemorySaver()
    value = {"request": "Go.", "folder": str(project)}
    own = chat.build_graph(model=Own()).compile(checkpointer=saver)
    await own.ainvoke(value, THREAD)
    assert (await own.ainvoke({"request": "And?"}, THREAD))["summary"] == "I am your own."
    other = chat.build_graph(model=Own(model_name="other")).compile(checkpointer=saver)
    for graph in (chat.build_graph().compile(checkpointer=saver), other):
        with pytest.raises(UsageError, match="program/own-model") as raised:
            await graph.ainvoke({"request": "And?"}, THREAD)
        assert "build_graph(model=" in str(raised.value)


async def test_named_model_goes_before_the_object(project: Path) -> None:
    graph = chat.build_graph(model=Own()).compile()
    assert (await graph.ainvoke(play(project)))["summary"] == "Done."


async def test_hook_of_program_denies_a_call(project: Path) -> None:
    def deny(payload: Mapping[str, object]) -> str:
        return "not today"

    graph = chat.build_graph(tools=[count], hooks={"before_tool": [deny]}).compile()
    state = await graph.ainvoke(play(project, call("count")))
    assert done == [] and "not today" in state["messages"][-2].text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"tools": [lambda a: a]}, "no function with a name"),
        ({"tools": [count, count]}, "already"),
        ({"model": "openai/gpt"}, "no chat model"),
        ({"hooks": {"before": []}}, "no hook"),
        ({"tools": 4}, "tools"),
    ],
)
@pytest.mark.parametrize("graph", [chat, task, edit], ids=["chat", "task", "edit"])
def test_wrong_parts_are_refused(graph: Any, given: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        graph.build_graph(**given)
