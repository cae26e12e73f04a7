"""A question outlives the process that asked it, and is answered exactly once from anywhere."""

import json
import sys
from pathlib import Path

import pytest
from program import Program
from provider import Provider
from screen import ScreenTerminal
from terminal import READY

MCODE = [sys.executable, "-m", "maxagent"]
TURNS = [
    {"tool_calls": [{"name": "run_command", "args": {"command": "echo x >> log.txt"}}]},
    {"text": "It is written."},
]


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    script = tmp_path / "turns.json"
    script.write_text(json.dumps(TURNS))
    return Program(tmp_path, provider.url, {"LLC_MODEL": f"scripted/{script}"})


def _asked_and_killed(program: Program) -> str:
    """Ask at a terminal, kill the process while its question stands there; the thread's id."""
    argv = [*MCODE, "chat", "Write it.", "--trust"]
    with ScreenTerminal(argv, program.project, program.environ) as terminal:
        terminal.wait_for("Allow this?")  # and SIGKILL, at the end of this block
    [row] = json.loads(program.run("threads", "list", "--json").stdout)
    assert row["status"] == "waiting"
    return row["thread_id"]


def test_question_of_crashed_process_is_answered_once_elsewhere(
    program: Program,
) -> None:
    thread = _asked_and_killed(program)
    result = program.run("threads", "show", thread)
    assert "echo x >> log.txt" in result.stdout and "mcode resume" in result.stdout + result.stderr
    more = program.run("chat", "--resume", thread, "Forget it.")
    assert (more.code, "waits for an answer" in more.stderr) == (2, True)
    assert not (program.project / "log.txt").exists(), "new words are no answer"
    unseen = program.run("threads", "answer", thread, "--approve")
    assert unseen.code == 4 and "has not shown" in unseen.stderr
    assert "echo x >> log.txt" in unseen.stderr and not (program.project / "log.txt").exists()
    answered = program.run("threads", "answer", thread, "--approve")
    assert (answered.code, answered.stdout) == (0, "It is written.\n")
    again = program.run("threads", "answer", thread, "--approve")
    assert (again.code, "has no open question" in again.stderr) == (2, True)
    assert program.lines() == ["x"]


def test_only_one_of_two_simultaneous_answers_counts(program: Program) -> None:
    thread = _asked_and_killed(program)
    program.run("resume", thread)
    both = [program.start("resume", thread, "--approve") for _ in range(2)]
    codes = sorted(program.end(process).code for process in both)
    assert codes[0] == 0 and codes[1] in (1, 2)
    assert program.lines() == ["x"]


def test_a_second_shell_approves_nothing_unseen(tmp_path: Path, provider: Provider) -> None:
    script = tmp_path / "turns.json"
    removal = {"name": "run_command", "args": {"command": "rm kept.txt"}}
    script.write_text(json.dumps([TURNS[0], {"tool_calls": [removal]}, {"text": "Done."}]))
    program = Program(tmp_path, provider.url, {"LLC_MODEL": f"scripted/{script}"})
    retained = program.project / "kept.txt"
    retained.write_text("kept")
    first = program.run("chat", "Write it.", "--trust", "--output", "json").last
    thread, elsewhere = first["thread_id"], [*MCODE, "resume", first["thread_id"], "--approve"]
    names = [*elsewhere, "--question", first["id"][:8]]
    with ScreenTerminal(names, program.project, program.environ) as terminal:
        terminal.wait_for("rm kept.txt")
        terminal.wait_for(READY)
        terminal.type("\x04")  # answered, and the next one left open
        terminal.wait_for("--question")
    assert program.lines() == ["x"]

    old = program.run("resume", thread, "--approve", "--question", first["id"])
    assert (old.code, "asks another question" in old.stderr) == (2, True)
    unseen = program.run("resume", thread, "--approve", "--output", "json")
    assert (unseen.code, unseen.last["type"], retained.exists()) == (4, "question", True)
    with ScreenTerminal(elsewhere, program.project, program.environ) as terminal:
        terminal.wait_for("has not shown")
        terminal.wait_for(READY)
        terminal.type("n")
        terminal.wait_for("Done.")
    assert retained.exists()
