"""Calls of servers' tools in threads: what has changed or is forgotten since they were allowed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from talk import Talk, says

from maxagent import Runner
from maxagent.nodes.mcp.server_call import CHANGED, AskedQuestion, ask_user
from maxagent.sdk.events import Question, ToolResult
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.input_request import InputAnswer, InputRequest, InputRequired
from maxagent.tools.mcp.tool_adapter import build_tool

SERVERS = Path(__file__).parents[2] / "fixtures" / "mcp_servers"
HOSTILE = {"command": sys.executable, "args": ["-S", str(SERVERS / "hostile.py")]}
TOOL = build_tool("mcp_s_ask", ToolDefinition("s", "ask", ""), from_project=False)
FORM = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
WHO = InputRequest("form", "Who?", FORM)
PAGE = InputRequest("url", "Look.", url="https://x.example/")
ANN = {"type": "respond", "message": "Ann"}
THREAD: Any = {"configurable": {"thread_id": "1"}}


@pytest.fixture(autouse=True)
def _own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def configure(folder: Path, **servers: Any) -> None:
    file = folder / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"servers": servers}))


def use(tool: str, **args: object) -> dict[str, Any]:
    return says(use_mcp_tool={"server_name": "s", "tool_name": tool, "arguments": args})


@contextmanager
def serve(port: int = 0) -> Iterator[int]:
    """A server of the new era by HTTP; its port."""
    command = [sys.executable, "new_era_server.py", "http", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=SERVERS) as process:
        assert process.stdout
        yield int(process.stdout.readline())
        process.kill()


async def test_a_server_that_forgot_its_question_gets_the_answer(tmp_path: Path) -> None:
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, use("ask"), says("Done."))
        with serve() as port:
            configure(tmp_path, s={"type": "http", "url": f"http://127.0.0.1:{port}/mcp"})
            asked = await talk.say("ask", mode="auto")
        assert isinstance(asked, Question) and asked.action_requests[0]["name"] == "mcp_s_ask"
        with serve(port):  # another process: it cannot read the state of the first
            await talk.decide(type="respond", message="Ann")
    [result] = talk.heard(ToolResult)
    assert result.ok and "\nhello Ann\n" in result.output


async def test_a_tool_that_changed_since_it_was_allowed_is_not_run(tmp_path: Path) -> None:
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "good"}})
    first, second = use("echo", text="hi"), use("write", text=str(tmp_path / "x"))
    both = {"tool_calls": [*first["tool_calls"], *second["tool_calls"]]}
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, both, says("Well."))
        options: Any = {**talk.options, "mode": "auto"}
        async for event in runner.chat("write", folder=talk.folder, options=options):
            if isinstance(event, ToolResult):
                runner.stop()
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "changed"}})
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.resume(event.thread_id)]
    [result] = [item for item in events if isinstance(item, ToolResult)]
    assert (result.tool, result.ok, result.error) == ("mcp_s_write", False, CHANGED)
    assert not (tmp_path / "x").exists()


async def test_an_answer_allows_only_the_tool_that_was_shown(tmp_path: Path) -> None:
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "good"}})
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, use("write", text=str(tmp_path / "x")), says("Well."))
        await talk.say("write")
    configure(tmp_path, s={**HOSTILE, "env": {"MCP_MODE": "changed"}})
    async with Runner(home=tmp_path / "home") as runner:
        talk.runner = runner
        assert isinstance(await talk.answer(approve=True), Question)
        assert not (tmp_path / "x").exists()
        await talk.answer(approve=True)
    assert (tmp_path / "x").exists()


async def test_a_server_that_was_removed_is_named(tmp_path: Path) -> None:
    configure(tmp_path, s=HOSTILE, other=HOSTILE)
    async with Runner(home=tmp_path / "home") as runner:
        talk = Talk(tmp_path, runner, use("echo", text="x"), says("Well."))
        await talk.say("say x")
        configure(tmp_path, other=HOSTILE)
        await talk.answer(approve=True)
    [result] = talk.heard(ToolResult)
    assert (result.ok, result.error) == (False, "there is no MCP server `s`; there are: `other`")


def test_only_what_a_users_server_calls_read_only_runs_again() -> None:
    reads = ToolDefinition("s", "t", "", read_only=True)
    assert build_tool("mcp_s_t", reads, from_project=False).is_repeatable
    assert not build_tool("mcp_s_t", reads, from_project=True).is_repeatable
    writes = ToolDefinition("s", "t", "")
    assert not build_tool("mcp_s_t", writes, from_project=False).is_repeatable


class Answered(TypedDict, total=False):
    answers: list[Any]


async def ask(*asked: InputRequired, answer_with: list[Any]) -> list[Any]:
    """Ask in a graph, one question after another; the answers, and what was interrupted."""
    outcomes: list[Any] = []
    received: list[Any] = []  # kept from one run of the node to the next, as by the journal
    used = 0

    def node(state: Answered) -> Answered:
        nonlocal used
        for required in asked[len(received) :]:
            answers, settled = ask_user(AskedQuestion(required, used), TOOL)
            used = settled.used
            received.append((dict(answers.answers), answers.state, answers.round))
        return {"answers": received}

    builder = StateGraph(Answered)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    graph = builder.compile(InMemorySaver())
    result = await graph.ainvoke({}, THREAD)
    for answer in answer_with:
        outcomes.append([item.value for item in result["__interrupt__"]])
        result = await graph.ainvoke(Command(resume=answer), THREAD)
    return [*outcomes, result.get("answers")]


async def test_an_answer_that_does_not_fit_is_asked_again() -> None:
    required = InputRequired({"who": WHO}, "state of the server")
    wrong = [{"decisions": []}, {"decisions": [{"type": "approve"}]}, 7]
    *asked, answers = await ask(required, answer_with=[*wrong, {"decisions": [ANN]}])
    [question] = asked[0]
    [refused] = asked[1]
    assert "error" not in question and '"respond" | "edit" | "reject"' in refused["error"]
    assert len(asked) == 4 and {**refused, **question} == refused
    assert all(item == asked[1] for item in asked[2:])
    assert question["action_requests"][0]["form"] == FORM
    assert question["review_configs"][0]["allowed_decisions"] == ["respond", "edit", "reject"]
    accepted = InputAnswer("accept", {"name": "Ann"})
    assert answers == [({"who": accepted}, "state of the server", 1)]


async def test_several_requests_need_an_answer_each() -> None:
    required = InputRequired({"who": WHO, "page": PAGE})
    both = {"decisions": [ANN, {"type": "reject"}]}
    *_, answers = await ask(required, answer_with=[{"decisions": [ANN]}, both])
    declined = InputAnswer("decline")
    assert answers == [({"who": InputAnswer("accept", {"name": "Ann"}), "page": declined}, "", 1)]


async def test_a_second_question_is_not_answered_by_the_first_answer() -> None:
    bob = {"decisions": [{"type": "respond", "message": "Bob"}]}
    rounds = [InputRequired({"who": WHO}, "1"), InputRequired({"who": WHO}, "2", 2)]
    *asked, answers = await ask(*rounds, answer_with=[{"decisions": [ANN]}, bob])
    assert len(asked) == 2
    names = [(answer["who"].content["name"], state) for answer, state, _ in answers]
    assert names == [("Ann", "1"), ("Bob", "2")]


@pytest.mark.parametrize(
    ("again", "is_answered"),
    [
        (InputRequired({"who": WHO}, "new"), True),
        (InputRequired({"who": WHO}, "new", 2), False),
        (InputRequired({"who": PAGE}, "new"), False),
    ],
)
def test_a_server_that_forgot_gets_the_same_answers_once(
    again: InputRequired, is_answered: bool
) -> None:
    accepted = {"who": InputAnswer("accept", {"name": "Ann"})}
    asked = AskedQuestion(InputRequired({"who": WHO}, "old"), 1, accepted)
    settled = asked.answer_again(again)
    assert (settled is not None) == is_answered
    if settled:
        answers, later = settled
        assert (answers.answers, answers.state) == (accepted, "new")
        assert later.answer_again(again) is None


def test_a_question_is_read_from_the_journal_as_it_was() -> None:
    asked = AskedQuestion(InputRequired({"who": WHO, "page": PAGE}, "state", 3), used=2)
    assert AskedQuestion.from_json(asked.as_json()) == asked
