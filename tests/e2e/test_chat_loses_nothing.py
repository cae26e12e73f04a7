"""A reader that leaves, a full disk, a closed terminal: what had finished is there afterwards."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from program import Program
from provider import Provider
from screen import ScreenTerminal
from small_disk import remount, small_disk

from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow

RUNS = {"tool_calls": [{"name": "run_command", "args": {"command": "echo one >> log.txt"}}]}
MCODE = (sys.executable, "-m", "maxagent")
SERVED = ("--model", "openai/served", "--base-url")


def only_thread(program: Program) -> ThreadRow:
    [row] = ThreadIndex(program.home).list()
    return row


@pytest.mark.parametrize("input_lines", [False, True], ids=["a message", "lines"])
def test_a_reader_that_leaves_loses_nothing(
    input_lines: bool, program: Program, provider: Provider
) -> None:
    # what was asked for when the process ended is asked for again
    done = {"text": "Written."}
    provider.script(lambda it: done if it.body["messages"][-1]["role"] == "tool" else RUNS)
    if input_lines:
        process = program.talk("--mode", "auto")
        assert process.stdin
        process.stdin.write('{"type": "user", "text": "write it"}\n')
        process.stdin.flush()
    else:
        process = program.start("chat", "write it", *SERVED, provider.url, "--mode", "auto")
    assert process.stdout
    thread = json.loads(process.stdout.readline())["thread_id"]
    process.stdout.close()
    process.stdout = None
    assert program.end(process).stderr == ""
    ended = program.resume(thread, output="text")
    assert (ended.code, ended.stdout, program.lines()) == (0, "Written.\n", ["one"])


@pytest.mark.parametrize(
    ("stdout", "code", "text"),
    [("/dev/full", 1, "No space left on device"), ("pipe", 141, "")],
)
def test_unwritable_answer_is_still_in_thread(
    stdout: str, code: int, text: str, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "The answer."}])
    ended = _writing_to(stdout, [*MCODE, "chat", "ask", *SERVED, provider.url], program)
    assert (ended.returncode, text in ended.stderr) == (code, True)
    assert "Traceback" not in ended.stderr and "Exception ignored" not in ended.stderr
    again = program.resume(only_thread(program).thread_id, output="text")
    assert (again.code, again.stdout, len(provider.requests)) == (0, "The answer.\n", 1)


def _writing_to(
    text: str, argv: Sequence[str], program: Program
) -> "subprocess.CompletedProcess[str]":
    """Run it where nothing can be written: a full device, or a pipe whose reader is gone."""
    if text == "pipe":
        reader, out = os.pipe()
        os.close(reader)
    else:
        out = os.open(text, os.O_WRONLY)
    try:
        return subprocess.run(
            argv,
            cwd=program.project,
            env=program.environ,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(out)


def test_full_disk_stops_turn_and_freed_space_continues(tmp_path: Path, provider: Provider) -> None:
    with small_disk(tmp_path / "disk", "700k") as disk:
        program = Program(tmp_path / "place", provider.url, {"MAXAGENT_HOME": str(disk / "home")})
        calls = [
            {"name": "write_file", "args": {"path": f"{n}.txt", "content": f"{n}\n" * 20_000}}
            for n in range(9)
        ]
        provider.script([{"text": "Hello."}, *({"tool_calls": [item]} for item in calls),
                         {"text": "Written."}])  # fmt: skip
        assert program.chat("hi").last["summary"] == "Hello."
        full = program.chat("write them", "-c", "--mode", "edits")
        assert (full.code, full.last["type"]) == (1, "error")
        assert "the disk is full" in full.last["message"] and full.last["hint"]
        remount(disk, "size=20m")
        again = program.resume(full.last["thread_id"], output="text")
        assert (again.code, again.stdout, len(provider.requests)) == (0, "Written.\n", 11)
        assert program.lines("8.txt") == ["8"] * 20_000


@pytest.mark.parametrize("mode", ["auto", "ask"])
def test_closed_terminal_ends_process_and_loses_nothing(
    mode: str, program: Program, provider: Provider
) -> None:
    """In a turn, after a command has run; and at a question, before it may."""
    provider.script([RUNS, {"text": "Long words.", "hang_after": 2}])
    argv = [*MCODE, "chat", "write it", *SERVED, provider.url, "--mode", mode]
    with ScreenTerminal(argv, program.project, program.environ) as terminal:
        terminal.wait_for("Long" if mode == "auto" else "Allow this?")
        assert terminal.hang_up() == 128 + signal.SIGHUP
    row = only_thread(program)
    assert row.status == ("interrupted" if mode == "auto" else "waiting")
    provider.script([{"text": "Written."}])
    yes = list[str]()
    if mode == "ask":
        yes = ["--approve", "--question", program.resume(row.thread_id).last["id"]]
    ended = program.resume(row.thread_id, *yes, output="text")
    assert (ended.code, ended.stdout, program.lines()) == (0, "Written.\n", ["one"])
