"""A task that one process begins, SIGKILL ends and another process finishes, over HTTP."""

import json
import signal
import subprocess
import threading

import pytest
from faults import Answer, says
from program import Event, Program
from provider import Provider

SLOW = {"command": "echo begins >> log.txt; echo begun; sleep 60; echo ends >> log.txt"}
BEFORE = [{"text": "SMALL: log.txt"}, says("one")]
AFTER = [says("two"), {"text": "Two lines are written."}, {"text": "Accepted."}]
GOOD = {"LLC_TASK__TEST_COMMAND": 'test -z "$(sort log.txt | uniq -d)"'}


def start(program: Program) -> "subprocess.Popen[str]":
    return program.start("task", "Write two lines.", "--mode", "auto", "--apply", **GOOD)


def read_until(process: "subprocess.Popen[str]", kind: str) -> Event:
    """The next event of a kind."""
    for line in process.stdout or ():
        event: Event = json.loads(line)
        if event["type"] == kind:
            return event
    raise AssertionError(f"it ended before any {kind}")


def kill(process: "subprocess.Popen[str]", program: Program) -> None:
    process.kill()
    assert program.end(process).code == -signal.SIGKILL


@pytest.mark.parametrize("silence", [{"hang_after": 0}, {**says("half"), "hang_after": 6}])
def test_killed_while_the_model_speaks_the_same_request_is_made_again(
    silence: Answer, program: Program, provider: Provider
) -> None:
    asked = threading.Event()
    answers = iter([*BEFORE, silence, *AFTER])

    def answer(_: object) -> Answer:
        if len(provider.requests) == len(BEFORE) + 1:
            asked.set()
        return next(answers)

    provider.script(answer)
    process = start(program)
    thread = read_until(process, "run_started")["thread_id"]
    assert asked.wait(60)
    kill(process, program)
    ended = program.resume(thread, **GOOD)
    assert (ended.code, ended.outcome, program.lines()) == (0, "verified", ["one", "two"])
    cut, again = provider.requests[len(BEFORE) : len(BEFORE) + 2]
    assert cut.raw == again.raw


def test_killed_while_a_command_runs_the_model_is_told_and_it_is_not_repeated(
    program: Program, provider: Provider
) -> None:
    provider.script([*BEFORE, {"tool_calls": [{"name": "run_command", "args": SLOW}]}, *AFTER])
    process = start(program)
    thread = read_until(process, "run_started")["thread_id"]
    assert read_until(process, "tool_output")["text"] == "begun\n"
    kill(process, program)
    ended = program.resume(thread, **GOOD)
    assert (ended.code, ended.outcome) == (0, "verified")
    assert program.lines() == ["one", "begins", "two"]
    told = provider.requests[len(BEFORE) + 1].body["messages"][-1]["content"]
    assert told.startswith("Error: Outcome unknown")
