"""Three sub-agents ask at once, and are answered from every door: one by one, in any order."""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from program import Ended, Program
from provider import Provider
from screen import ScreenTerminal
from studio import House
from terminal import READY

MCODE = [sys.executable, "-m", "maxagent"]
TASKS = [{"agent_type": "explore", "task": f"look at {name}"} for name in ("one", "two", "three")]
SENT = {"tool_calls": [{"name": "subagent", "args": {"tasks": TASKS}}]}
ASKED = {"tool_calls": [{"name": "webfetch", "args": {"url": "https://page.example"}}]}
SCENARIO = {"build": [SENT, {"text": "All told."}], "explore": [ASKED, {"text": "I was told."}]}


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    script = tmp_path / "turns.json"
    script.write_text(json.dumps(SCENARIO))
    return Program(tmp_path, provider.url, {"LLC_MODEL": f"scripted/{script}"})


def begin(program: Program) -> Ended:
    return program.run("chat", "go", "--output", "stream-json")


def test_other_processes_answer_in_any_order(program: Program) -> None:
    asked = begin(program)
    question = asked.last
    thread = question["thread_id"]
    assert (asked.code, question["position"], question["count"]) == (4, 1, 3)
    assert [question["agent"], *(item["agent"] for item in question["others"])] == [
        "explore-1",
        "explore-2",
        "explore-3",
    ]
    assert "(3)" in program.run("threads", "list").stdout
    [row] = json.loads(program.run("threads", "list", "--json").stdout)
    assert (row["status"], row["questions"]) == ("waiting", 3)
    stdout = program.run("threads", "show", thread).stdout
    assert "? explore-2: waiting for an answer" in stdout and "--question ID" in stdout
    third = question["others"][1]["id"]
    wrong = program.resume(thread, "--question", "0" * 8, "--reject", "no")
    assert (wrong.code, "another question" in wrong.stderr) == (2, True)
    second = program.resume(thread, "--question", third[:8], "--reject", "no")
    assert (second.code, second.last["count"]) == (4, 2)
    again = program.resume(thread, "--question", third[:8], "--reject", "no")
    assert again.code == 2
    text = program.resume(thread, output="text")
    assert "explore-1 asks (1 of 2)" in text.stderr and "explore-2 asks (2 of 2)" in text.stderr
    assert text.stderr.count("mcode resume") >= 2
    remainder = program.resume(thread, "--reject", "no")
    assert remainder.last["agent"] == "explore-2"
    end = program.resume(thread, "--question", remainder.last["id"], "--reject", "no")
    assert (end.code, end.last["summary"]) == (0, "All told.")
    child = program.run("threads", "show", thread, "--sub", "explore-3", "--json")
    assert json.loads(child.stdout)["status"] == "done"
    assert "I was told." in program.run("threads", "show", thread, "--sub", "explore-3").stdout


def test_lines_of_json_answer_each(program: Program) -> None:
    question = begin(program).last
    ids = [question["id"], *(item["id"] for item in question["others"])]
    lines = [
        {"type": "answer", "reject": "no", "question": id_[:size]}
        for id_, size in zip(ids[::-1], (8, 32, 12), strict=True)
    ]
    names = ["--resume", question["thread_id"], "--input", "stream-json", "--output", "stream-json"]
    ended = program.run("chat", *names, stdin="\n".join(map(json.dumps, lines)))
    assert (ended.code, ended.last["summary"]) == (0, "All told.")
    assert [event["count"] for event in ended.told("question")] == [2, 1]


def test_terminal_asks_one_after_the_other(program: Program) -> None:
    argv = [*MCODE, "chat", "go", "--trust"]
    with ScreenTerminal(argv, program.project, program.environ, rows=50) as terminal:
        for position in (1, 2, 3):
            terminal.wait_for(f"explore-{position} asks ({position} of 3)")
            terminal.wait_for(lambda screen: READY in screen.rstrip()[-40:])
            terminal.type("since I say so\n")
        terminal.wait_for("All told.")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
def address(house: House) -> Iterator[str]:
    if find_spec("langgraph_api") is None:
        pytest.skip("langgraph-cli[inmem] is not installed")
    with house.serve(*MCODE, "studio") as (address, _):
        yield address


@pytest.fixture
async def client(address: str) -> AsyncIterator[Any]:
    from langgraph_sdk import get_client

    async with get_client(url=address) as client:
        yield client


async def test_studio_answers_by_interrupt_id(house: House, client: Any) -> None:
    task = house.project("asked", [])
    script = Path(task["folder"]).with_name("crew.json")
    script.write_text(json.dumps(SCENARIO))
    model = ["--model", f"scripted/{script}", "--folder", task["folder"]]
    asked = house.mcode("chat", "go", *model, "--output", "json")
    assert asked.code == 4
    thread = asked.last["thread_id"]
    await client.threads.create(thread_id=thread, graph_id="chat", if_exists="do_nothing")
    state = await client.threads.get_state(thread)
    by_agent = {item["value"]["agent"]: item["id"] for item in state["interrupts"]}
    assert sorted(by_agent) == ["explore-1", "explore-2", "explore-3"]
    no = {"decisions": [{"type": "reject", "message": "no"}]}
    for agent in ("explore-2", "explore-3", "explore-1"):
        resume = {"resume": {by_agent[agent]: no}}
        await client.runs.wait(thread, "chat", command=resume)
        state = await client.threads.get_state(thread)
        remaining = {item["value"]["agent"] for item in state["interrupts"]}
        by_agent = {name: id_ for name, id_ in by_agent.items() if name != agent}
        assert remaining == set(by_agent)
    assert state["values"]["outcome"] == "answered" and not state["next"]
    result = house.mcode("threads", "show", thread)
    assert result.stdout.count(": done, ") == 3
