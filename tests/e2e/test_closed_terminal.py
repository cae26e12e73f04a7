"""A terminal that closes stops `mcode` as SIGTERM does: recorded, and with a clean project."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from confinement import needs_bubblewrap
from program import Program
from provider import Provider
from screen import FreshScreenTerminal, ScreenTerminal

from maxagent.memory.threads.index import ThreadIndex

MCODE = (sys.executable, "-m", "maxagent")
SLOW = "echo begun > gate; sleep 600"
CALL = {"tool_calls": [{"name": "run_command", "args": {"command": SLOW}}]}
HUNG_UP = 128 + signal.SIGHUP
WITH_NOHUP = ("/bin/sh", "-c", 'trap "" HUP; exec "$@" > /dev/null 2>&1', "sh")

pytestmark = needs_bubblewrap


class IgnoringTerminal(FreshScreenTerminal):
    """As with `nohup`, which leaves SIGHUP ignored."""

    wrapper = (*FreshScreenTerminal.wrapper, *WITH_NOHUP)


def list_crash_reports(program: Program) -> list[str]:
    folder = program.home / "data" / "errors"
    return [file.read_text() for file in folder.iterdir()] if folder.exists() else []


def make_gate(program: Program) -> Path:
    gate = program.project / "gate"
    os.mkfifo(gate)
    return gate


def wait_for_command(gate: Path) -> None:
    assert gate.read_text() == "begun\n"


def list_project(program: Program) -> list[str]:
    return sorted(os.listdir(program.project))


@pytest.mark.parametrize(
    ("command", "before_call"), [("task", [{"text": "1. Write."}]), ("chat", [])]
)
def test_closed_terminal_stops_a_running_command(
    command: str, before_call: list[dict[str, str]], program: Program, provider: Provider
) -> None:
    provider.script([*before_call, CALL, {"text": "Done."}])
    model = ["--model", "openai/served", "--base-url", provider.url]
    gate = make_gate(program)
    before = list_project(program)
    argv = [*MCODE, command, "Do it.", *model, "--mode", "auto", "--trust"]
    with ScreenTerminal(argv, program.project, program.environ) as terminal:
        wait_for_command(gate)
        assert list_project(program) == before, "nothing of the sandbox is visible"
        assert terminal.hang_up() == HUNG_UP
    assert (list_project(program), list_crash_reports(program)) == (before, [])
    [row] = ThreadIndex(program.home).list()
    assert row.status == "interrupted"


@pytest.mark.parametrize(
    "command", [("test",), ("tools", "call", "run_command")], ids=["test", "tool"]
)
def test_closed_terminal_stops_a_command_without_a_thread(
    command: Sequence[str], program: Program
) -> None:
    (program.project / "Makefile").write_text(f"test:\n\t@{SLOW}\n")
    gate = make_gate(program)
    before = list_project(program)
    more = (
        ["--trust"] if command[0] == "test" else [json.dumps({"command": SLOW}), "--yes", "--trust"]
    )
    with ScreenTerminal([*MCODE, *command, *more], program.project, program.environ) as terminal:
        wait_for_command(gate)
        assert list_project(program) == before, "nothing of the sandbox is visible"
        assert terminal.hang_up() == HUNG_UP
    assert (list_project(program), list_crash_reports(program)) == (before, [])


def test_ignored_hangup_stays_ignored(program: Program, provider: Provider) -> None:
    gate, written = make_gate(program), program.project / "log.txt"
    call = {"name": "run_command", "args": {"command": "cat gate > log.txt"}}
    provider.script([{"tool_calls": [call]}, {"text": "Written."}])
    model = ["--model", "openai/served", "--base-url", provider.url]
    argv = [*MCODE, "chat", "Do it.", *model, "--mode", "auto"]
    with IgnoringTerminal(argv, program.project, program.environ) as terminal:
        with gate.open("w") as opened:  # waits until the command reads
            terminal.close_window()
            opened.write("one")
        assert terminal.hang_up() == 0
    assert written.read_text() == "one"
    [row] = ThreadIndex(program.home).list()
    assert row.status == "idle"
