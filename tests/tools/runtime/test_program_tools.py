"""A program's functions and LangChain's tools as tools of an agent, in real runs."""

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel

from maxagent import AgentProfile, Question, Runner, UsageError, agents, collect, tool
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.runtime.program_tools import build_program_tools, get_digest
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

done = list[str]()


@tool(effect="read")
def count_orders(customer: str, status: Literal["open", "paid"] = "open") -> int:
    """Count the orders of a customer."""
    done.append(f"count {customer} {status}")
    return 3


def send_mail(to: str, copies: list[str] | None = None) -> dict[str, Any]:
    """Send a mail."""
    done.append(f"mail {to} {copies}")
    return {"sent": to}


async def deploy(version: Annotated[int, "the number"]) -> str:
    """Deploy a version."""
    await asyncio.sleep(0)
    done.append(f"deploy {version}")
    return "deployed"


def fail(reason: str) -> str:
    """Fail."""
    raise ValueError(reason)


@langchain_tool
def look_up(word: str) -> str:
    """Look a word up."""
    done.append(f"look up {word}")
    return "a meaning"


@pytest.fixture(autouse=True)
def _nothing_done() -> None:
    done.clear()


def begin(runner: Runner, folder: Path, *calls: tuple[str, dict[str, Any]], **more: Any) -> Any:
    turns = [{"tool_calls": [{"name": name, "args": args}]} for name, args in calls]
    (folder / "script.json").write_text(json.dumps([*turns, {"text": "Done."}]))
    options = {"model": f"scripted/{folder / 'script.json'}", "mode": "ask", **more}
    return runner.chat("Go.", folder=folder, options=options)


@pytest.mark.parametrize(
    ("function", "args", "asks", "effect", "output"),
    [
        (count_orders, {"customer": "Ann"}, False, "count Ann open", "3"),
        (count_orders, {"customer": "Ann", "status": "paid"}, False, "count Ann paid", "3"),
        (send_mail, {"to": "a@b"}, True, "mail a@b None", '{"sent":"a@b"}'),
        (send_mail, {"to": "a@b", "copies": ["c"]}, True, "mail a@b ['c']", '{"sent":"a@b"}'),
        (deploy, {"version": 4}, True, "deploy 4", "deployed"),
        (look_up, {"word": "durable"}, True, "look up durable", "a meaning"),
    ],
)
async def test_a_function_is_called_as_declared(
    tmp_path, function, args, asks, effect, output
) -> None:
    asked = list[Question]()

    def allow(question: Question) -> Any:
        asked.append(question)
        assert done == []
        return question.allow()

    async with Runner(home=tmp_path / "home", tools=[function], on_question=allow) as runner:
        name = getattr(function, "name", None) or function.__name__
        events = [event async for event in begin(runner, tmp_path, (name, args))]
    [result] = [event for event in events if event.type == "tool_result"]
    assert (result.ok, result.output, done, len(asked)) == (True, output, [effect], int(asks))


@pytest.mark.parametrize(
    ("mode", "status", "effects"),
    [("ask", "question", 0), ("edits", "question", 0), ("auto", "answered", 1),
     ("read-only", "answered", 0)],
)  # fmt: skip
async def test_the_approval_mode_holds_for_functions(tmp_path, mode, status, effects) -> None:
    async with Runner(home=tmp_path / "home", tools=[send_mail]) as runner:
        run = begin(runner, tmp_path, ("send_mail", {"to": "a@b"}), mode=mode)
        assert (await collect(run)).status == status
    assert len(done) == effects


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("count_orders", {}, "customer"),
        ("count_orders", {"customer": "Ann", "status": "lost"}, "status"),
        ("count_orders", {"custommer": "Ann"}, "`custommer`"),
        ("fail", {"reason": "no stock"}, "no stock"),
        ("count_order", {"customer": "Ann"}, "count_orders"),
    ],
)
async def test_the_model_reads_what_went_wrong(tmp_path, name, args, text) -> None:
    tools = [count_orders, tool(effect="read")(fail)]
    async with Runner(home=tmp_path / "home", tools=tools) as runner:
        events = [event async for event in begin(runner, tmp_path, (name, args))]
    [result] = [event for event in events if event.type == "tool_result"]
    assert not result.ok and text in result.error and done == []


def build_other(text: str) -> Any:
    scope: dict[str, Any] = {"done": done}
    exec(f"def send_mail(to: str) -> str:\n    '''Send a mail.'''\n    {text}", scope)
    return scope["send_mail"]


@pytest.mark.parametrize("tools", [[], [build_other("return 'another'")]], ids=["none", "other"])
async def test_waiting_call_is_bound_to_its_code(tmp_path, tools) -> None:
    call = ("send_mail", {"to": "a@b"})
    async with Runner(home=tmp_path / "home", tools=[send_mail]) as runner:
        asked = (await collect(begin(runner, tmp_path, call))).question
    assert asked
    async with Runner(home=tmp_path / "home", tools=tools) as runner:
        again = await collect(runner.resume(asked.thread_id, asked.allow()))
    assert done == [] and again.status == ("question" if tools else "answered")


async def test_same_code_resumes_in_another_runner(tmp_path) -> None:
    async with Runner(home=tmp_path / "home", tools=[send_mail]) as runner:
        run = begin(runner, tmp_path, ("send_mail", {"to": "a@b"}))
        asked = (await collect(run)).question
    assert asked and done == []
    async with Runner(home=tmp_path / "home", tools=[send_mail]) as runner:
        end = await collect(runner.resume(asked.thread_id, asked.allow()))
    assert (end.text, done) == ("Done.", ["mail a@b None"])


async def test_a_call_cut_short_is_not_repeated(tmp_path) -> None:
    started = asyncio.Event()

    async def pay(amount: int) -> str:
        """Pay."""
        done.append(f"pay {amount}")
        started.set()
        await asyncio.Event().wait()
        return "paid"

    async with Runner(home=tmp_path / "home", tools=[pay]) as runner:
        run = begin(runner, tmp_path, ("pay", {"amount": 5}), mode="auto")
        reading = asyncio.ensure_future(collect(run))
        await started.wait()
        reading.cancel()
        await asyncio.wait([reading])
        [row] = runner.threads.list()
    async with Runner(home=tmp_path / "home", tools=[pay]) as runner:
        events = [event async for event in runner.resume(row.thread_id)]
    [result] = [event for event in events if event.type == "tool_result"]
    assert "Outcome unknown" in result.error and done == ["pay 5"]


@pytest.mark.parametrize(
    ("allowed", "runs"),
    [(["*"], True), (["count_orders"], True), (["mcp_*"], True), (["read_file"], False)],
)
async def test_an_agent_has_functions_that_it_names(tmp_path, allowed, runs, monkeypatch) -> None:
    from maxagent.config.agents import registry

    monkeypatch.setattr(registry, "_registered", {})
    call = ("count_orders", {"customer": "Ann"})
    async with Runner(home=tmp_path / "home", tools=[count_orders]) as runner:
        agents.register(AgentProfile("own", "Counts.", "You count.", allowed_tools=allowed))
        await collect(begin(runner, tmp_path, call, agent="own"))
    assert bool(done) == runs


def no_docstring(a: int) -> int:
    return a


def no_types(a) -> int:
    """Add."""
    return a


def any_number(*numbers: int) -> int:
    """Add."""
    return sum(numbers)


def read_file(path: str) -> str:
    """Read a file."""
    return path


def mcp_thing(a: int) -> int:
    """Do."""
    return a


def name_tool(name: str) -> BaseTool:
    return StructuredTool.from_function(mcp_thing, name=name)


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ([no_docstring], "no docstring"),
        ([no_types], "without a type"),
        ([any_number], "without a type"),
        ([lambda a: a], "no function with a name"),
        (["send_mail"], "no function with a name"),
        ([read_file], "already"),
        ([send_mail, send_mail], "already"),
        ([mcp_thing], "no name of a tool"),
        # the graphs ask under these names: a yes to one must not be a yes to the other
        ([name_tool("review")], "already"),
        ([name_tool("pull_request")], "already"),
        ([name_tool("choose_attempt")], "already"),
        ([name_tool("change_model")], "already"),
        ([name_tool("run_tests")], "already"),
        ([name_tool("hook")], "already"),
    ],
)
def test_what_is_no_tool_is_refused(tools: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Runner(tools=tools)


def test_an_unknown_effect_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot have the effect"):
        tool(effect="safe")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("effect", ["read", 4, ["read"], {"effect": "read"}])
def test_what_is_no_function_is_not_declared(effect: Any) -> None:
    with pytest.raises(UsageError, match="no function with a name"):
        tool(effect)


@pytest.mark.parametrize(
    ("declare", "asks"),
    [(tool, True), (tool(), True), (tool(effect="execute"), True), (tool(effect="read"), False)],
    ids=["bare", "empty", "execute", "read"],
)
async def test_declaration_without_parentheses_is_asked(tmp_path, declare: Any, asks: bool) -> None:
    @declare
    def ring(times: int) -> str:
        """Ring."""
        done.append(f"ring {times}")
        return "rung"

    async with Runner(home=tmp_path / "home", tools=[ring]) as runner:
        result = await collect(begin(runner, tmp_path, ("ring", {"times": 2})))
    assert (bool(result.question), done) == (asks, [] if asks else ["ring 2"])


def test_the_digest_changes_with_code_and_effect() -> None:
    def build(part: Any) -> BaseTool:
        return build_program_tools([part])[0]

    first = build_other("return 'one'")
    parts = [first, build_other("return 'two'"), tool(effect="read")(build_other("return 'one'"))]
    assert len({get_digest(build(part)) for part in parts}) == 3
    assert get_digest(build(build_other("return 'one'"))) == get_digest(build(parts[0]))
    made = StructuredTool.from_function(send_mail, name="post", description="Post.")
    assert get_digest(build(made)) == get_digest(build(build(made)))


class Size(Enum):
    SMALL = "small"


class Part(BaseModel):
    name: str


@dataclass
class Order:
    part: Part
    size: Size


ANSWERS: list[tuple[object, str]] = [
    ("as it is", "as it is"),
    (None, "null"),
    (True, "true"),
    (1.5, "1.5"),
    ({"found": "bolt", "n": 1}, '{"found":"bolt","n":1}'),
    ([{"a": 1}, 2, "x"], '[{"a":1},2,"x"]'),
    (["a", "b"], '["a","b"]'),
    ([], "[]"),
    (("a", Part(name="bolt")), '["a",{"name":"bolt"}]'),
    (Order(Part(name="bolt"), Size.SMALL), '{"part":{"name":"bolt"},"size":"small"}'),
    (date(2026, 11, 27), '"2026-11-27"'),
    (Path("a/b"), '"a/b"'),
    (b"\xff", "b'\\xff'"),
    ([{"type": "bolt", "n": 1}], '[{"type":"bolt","n":1}]'),
    ([{"type": "text", "text": "hi"}, {"type": "image"}], "hi\n[image]"),
]


@pytest.mark.parametrize(("answer", "expected"), ANSWERS)
async def test_answer_of_a_function_is_json(answer: object, expected: str, tmp_path: Path) -> None:
    @tool(effect="read")
    def look() -> Any:
        """Look."""
        return answer

    (built,) = build_program_tools([look])
    result = await invoke(built, {}, ToolRun(Workspace(tmp_path), "c1", tmp_path))
    assert (result.output, result.error) == (expected, "")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("no such item"), "ValueError: no such item"),
        (KeyError("bolt"), "KeyError: 'bolt'"),
        (ToolException("ask for a smaller one"), "ToolException: ask for a smaller one"),
        (TimeoutError(), "TimeoutError: "),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
    ],
)
async def test_exception_of_a_function_is_no_internal_error(
    error: Exception, expected: str, tmp_path: Path
) -> None:
    def fail() -> str:
        """Fail."""
        raise error

    (built,) = build_program_tools([fail])
    result = await invoke(built, {}, ToolRun(Workspace(tmp_path), "c1", tmp_path))
    assert result.error == expected


def test_compiled_tool_has_one_digest_everywhere() -> None:
    source = (
        "def count(text: str) -> int:\n"
        '    "Count."\n'
        "    return sum([len(word) for word in text.split() if (lambda: True)()])\n"
    )
    program = (
        "import sys\n"
        "from maxagent.tools.runtime.program_tools import build_program_tools, get_digest\n"
        f"exec(compile({source!r}, 'typed', 'exec'))\n"
        "padding = [object() for _ in range(int(sys.argv[1]))]\n"
        "print(get_digest(build_program_tools([count])[0]))\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, str(size)], capture_output=True, text=True, check=True
        ).stdout
        for size in (0, 1_000)
    }
    assert len(digests) == 1
