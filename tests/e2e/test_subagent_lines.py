"""Sub-agents at a terminal: a moving line for each while it works, and Ctrl-C stops all."""

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from crew import Crew, calls, sends
from program import Program
from provider import Provider, Request
from screen import ScreenTerminal

MCODE = [sys.executable, "-m", "maxagent"]


@pytest.fixture
def gate() -> threading.Event:
    """Closed: no child reports."""
    return threading.Event()


@pytest.fixture
def program(tmp_path: Path, provider: Provider, gate: threading.Event) -> Program:
    def explore(request: Request) -> Any:
        if request.body["messages"][-1]["role"] != "tool":
            return calls(("grep", {"regex": "needle"}))
        gate.wait(60)
        return {"text": "It is found."}

    sent = sends(("explore", "one x"), ("explore", "two x"))
    provider.script(Crew(sent, {"text": "All found."}, one=explore, two=explore))
    return Program(tmp_path, provider.url)


def open_chat(program: Program, provider: Provider, *arguments: str) -> ScreenTerminal:
    model = ["--model", "openai/served", "--base-url", provider.url]
    argv = [*MCODE, "chat", *arguments, "--trust", *model]
    return ScreenTerminal(argv, program.project, program.environ, columns=100, rows=40)


def test_each_working_child_has_a_line(
    program: Program, provider: Provider, gate: threading.Event
) -> None:
    with open_chat(program, provider, "go") as terminal:
        for sub_id in ("explore-1", "explore-2"):
            terminal.wait_for(f"⋯ {sub_id} · step 2 · grep needle")
        gate.set()
        assert "⋯ explore" not in terminal.wait_for("All found.")


def test_conversation_shows_lines_and_last_calls(
    program: Program, provider: Provider, gate: threading.Event
) -> None:
    with open_chat(program, provider) as terminal:
        terminal.wait_for("›")
        terminal.type("go").press("enter")
        for sub_id in ("explore-1", "explore-2"):
            terminal.wait_for(f"⋯ {sub_id} · step 2 · grep needle")
        terminal.press("ctrl-o").wait_for("▸ grep needle")
        gate.set()
        terminal.wait_for("All found.")
        terminal.wait_for(lambda seen: "⋯ explore" not in seen)
        terminal.type("/agents").press("enter")
        terminal.wait_for("✓ explore-2: done, 2 requests")


def test_ctrl_c_stops_all(program: Program, provider: Provider, gate: threading.Event) -> None:
    with open_chat(program, provider, "go") as terminal:
        terminal.wait_for("⋯ explore-2 · step 2")
        terminal.press("ctrl-c")
        terminal.wait_for(lambda seen: "⋯ explore" not in seen)
        terminal.press("ctrl-d").end()
    gate.set()
    [row] = json.loads(program.run("threads", "list", "--json").stdout)
    assert row["status"] == "interrupted"
    stdout = program.run("threads", "show", row["thread_id"]).stdout
    assert stdout.count("interrupted") >= 2
    end = program.resume(row["thread_id"])
    assert (end.code, end.last["summary"]) == (0, "All found.")


def test_output_of_a_pipe_has_no_moving_line(program: Program, gate: threading.Event) -> None:
    gate.set()
    ended = program.chat("go", output="text")
    lines = ended.stderr.splitlines()
    assert sum("explore-1" in line for line in lines) == 2  # its start and its end
    assert "⋯" not in ended.stderr
