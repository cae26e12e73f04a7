"""A question outlives the process that asked it, and is answered exactly once from anywhere."""

import json
import sys
from pathlib import Path

import pytest
from program import Program
from provider import Provider
from screen import ScreenTerminal

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
        terminal.wait_for("[y/n")  # and SIGKILL, at the end of this block
    [row] = json.loads(program.run("threads", "list", "--json").stdout)
    assert row["status"] == "waiting"
    return row["thread_id"]


def test_a_question_whose_process_was_killed_is_answered_from_another_shell_once(
    program: Program,
) -> None:
    thread = _asked_and_killed(program)
    shown = program.run("threads", "show", thread)
    assert "echo x >> log.txt" in shown.stdout and "mcode resume" in shown.stdout + shown.stderr
    more = program.run("chat", "--resume", thread, "Forget it.")
    assert (more.code, "waits for an answer" in more.stderr) == (2, True)
    assert not (program.project / "log.txt").exists(), "new words are no answer"
    answered = program.run("threads", "answer", thread, "--approve")
    assert (answered.code, answered.stdout) == (0, "It is written.\n")
    again = program.run("threads", "answer", thread, "--approve")
    assert (again.code, "asks nothing" in again.stderr) == (2, True)
    assert program.lines() == ["x"]


def test_of_two_answers_at_the_same_moment_one_counts(program: Program) -> None:
    thread = _asked_and_killed(program)
    both = [program.start("resume", thread, "--approve") for _ in range(2)]
    codes = sorted(program.end(process).code for process in both)
    assert codes[0] == 0 and codes[1] in (1, 2)
    assert program.lines() == ["x"]
