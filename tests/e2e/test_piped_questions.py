"""Piped input at a terminal: the message comes from the pipe, the answers from the user."""

import shlex
import sys
from pathlib import Path

import pytest
from program import Program
from provider import Provider
from terminal import READY, FreshTerminal

# Makes the terminal the process's own, as a shell's is: then `/dev/tty` is it
SHELL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp("sh", ["sh", "-c", sys.argv[1]])
"""
WRITES = {"name": "write_file", "args": {"path": "made.txt", "content": "x\n"}}
MCODE = f"{shlex.quote(sys.executable)} -m maxagent"


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    provider.script([{"tool_calls": [WRITES]}, {"text": "All is done."}])
    model = {"OPENAI_BASE_URL": provider.url, "LLC_MODEL": "openai/gpt-4o"}
    return Program(tmp_path / "run", provider.url, model)


def run(program: Program, line: str) -> FreshTerminal:
    argv = [sys.executable, "-c", SHELL, line]
    return FreshTerminal(argv, program.project, program.environ, columns=100)


@pytest.mark.parametrize(
    ("line", "key", "made"),
    [
        (f"echo log | {MCODE} chat 'Write it' --mode ask --trust", "1", True),
        (f"echo log | {MCODE} chat 'Write it' --mode ask --trust", "no thanks\r", False),
        (f"echo 'Write it' | {MCODE} chat --mode ask --trust", "y", True),
        (f"echo 'Write it' | {MCODE}", "1", True),
        (f"{MCODE} chat 'Write it' --mode ask --trust < pytest.ini", "1", True),
    ],
)
def test_user_is_asked_at_the_terminal(program: Program, line: str, key: str, made: bool) -> None:
    (program.project / "pytest.ini").write_text("[pytest]\n")
    with run(program, line) as terminal:
        terminal.until(READY)
        terminal.type(key)
        terminal.until("All is done.")
        terminal.end()
    assert (program.project / "made.txt").exists() is made


@pytest.mark.parametrize(
    "line",
    [
        f"echo log | {MCODE} chat 'Write it' --mode ask --trust | cat",
        f"echo log | {MCODE} chat 'Write it' --mode ask --trust 2> errors",
        f"echo log | {MCODE} chat 'Write it' --mode ask --trust --output json",
        f"set -m; echo log | {MCODE} chat 'Write it' --mode ask --trust & wait $!",
        f"echo log | setsid --wait {MCODE} chat 'Write it' --mode ask --trust",
    ],
)
def test_without_a_terminal_the_thread_waits(program: Program, line: str) -> None:
    with run(program, f"{line}; echo ended") as terminal:
        terminal.until("ended")
    assert not (program.project / "made.txt").exists()
