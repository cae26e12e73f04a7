"""A task that one process begins, SIGKILL ends and another process finishes, over HTTP."""

import json
import signal
import subprocess
import threading
import time
from contextlib import closing

import pytest
from faults import Answer, says
from program import Event, Program
from provider import Provider

from maxagent.config import paths
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import get_lock_path
from maxagent.nodes.recovery.partial_answer import INTERRUPTED
from maxagent.sdk.threads.transcript import read_transcript

HALF = {"text": "Half of it, and more.", "portion": 9, "hang_after": 2}
LOOKS = {"tool_calls": [{"name": "list_files", "args": {}}]}
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


def wait_until_kept(program: Program, tool: str, text: str) -> None:
    """Until the journal has these words of what still goes on."""
    query = "SELECT COUNT(*) FROM journal WHERE tool LIKE ? AND result LIKE ?"
    give_up = time.monotonic() + 60
    with closing(connect(paths.locate_database(program.home))) as connection:
        while connection.execute(query, (tool, f"%{text}%")).fetchone() == (0,):
            assert time.monotonic() < give_up
            time.sleep(0.02)


def kill(process: "subprocess.Popen[str]", program: Program) -> None:
    process.kill()
    assert program.end(process).code == -signal.SIGKILL


@pytest.mark.parametrize("silence", [{"hang_after": 0}, {**says("half"), "hang_after": 6}])
def test_kill_during_answer_repeats_the_same_request(
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


def test_kill_during_command_is_reported_and_not_repeated(
    program: Program, provider: Provider
) -> None:
    provider.script([*BEFORE, {"tool_calls": [{"name": "run_command", "args": SLOW}]}, *AFTER])
    process = start(program)
    thread = read_until(process, "run_started")["thread_id"]
    assert read_until(process, "tool_output")["text"] == "begun\n"
    wait_until_kept(program, "run_command", "begun")
    kill(process, program)
    ended = program.resume(thread, **GOOD)
    assert (ended.code, ended.outcome) == (0, "verified")
    assert program.lines() == ["one", "begins", "two"]
    message = provider.requests[len(BEFORE) + 1].body["messages"][-1]["content"]
    assert message.startswith("Error: Outcome unknown")
    assert message.endswith("What it had printed by then:\n\nbegun\n")


def test_stopped_process_writes_nothing_after_takeover(
    program: Program, provider: Provider
) -> None:
    asked, go_on = threading.Event(), threading.Event()
    answers = iter([*BEFORE, *AFTER])

    def answer(_: object) -> Answer:
        if len(provider.requests) == len(BEFORE) + 1:
            asked.set()
            assert go_on.wait(60)
            return says("late")
        return next(answers)

    provider.script(answer)
    process = start(program)
    thread = read_until(process, "run_started")["thread_id"]
    assert asked.wait(60)
    process.send_signal(signal.SIGSTOP)
    get_lock_path(program.home, thread).unlink()  # as where a file system forgets its locks
    assert program.resume(thread, **GOOD).outcome == "verified"
    before = dump_rows(program)
    process.send_signal(signal.SIGCONT)
    go_on.set()
    ended = program.end(process)
    assert ended.code == 1 and "another process has taken over" in ended.last["message"]
    assert (dump_rows(program), program.lines()) == (before, ["one", "two"])


def dump_rows(program: Program) -> list[str]:
    with closing(connect(paths.locate_database(program.home))) as connection:
        return list(connection.iterdump())


@pytest.fixture
def half_said(program: Program, provider: Provider) -> str:
    """A conversation that was killed when its model had said half of its answer."""
    provider.script([HALF, {"text": "Whole."}])
    model = ("--model", "openai/served", "--base-url", provider.url)
    process = program.start("chat", "Hello", *model)
    thread = read_until(process, "run_started")["thread_id"]
    wait_until_kept(program, "%", "Half of i")
    kill(process, program)
    return thread


def story(program: Program, thread: str) -> list[tuple[str, str]]:
    row = ThreadIndex(program.home).get(thread)
    return [(item.kind, item.text) for item in read_transcript(row, program.home)]


def test_partial_answer_before_kill_is_in_thread(half_said: str, program: Program) -> None:
    remaining = [("human", "Hello"), ("interrupted", "Half of i")]
    assert story(program, half_said) == remaining
    assert "Half of i" in program.run("threads", "show", half_said).stdout
    assert program.resume(half_said).outcome == "answered"
    assert story(program, half_said) == [*remaining, ("answer", "Whole.")]


def test_the_model_learns_its_partial_answer(
    half_said: str, program: Program, provider: Provider
) -> None:
    line = json.dumps({"type": "user", "text": "And now?", "abandon": True})
    ended = program.chat("--resume", half_said, "--input", "stream-json", stdin=f"{line}\n")
    assert ended.outcome == "answered"
    messages = provider.requests[-1].body["messages"]
    assert [message["content"] for message in messages if message["role"] != "system"] == [
        *("Hello", "Half of i", INTERRUPTED, "And now?")
    ]


@pytest.mark.parametrize("is_read", [True, False], ids=["in a request", "before it"])
def test_kill_keeps_message_to_running_turn_once(
    is_read: bool, program: Program, provider: Provider
) -> None:
    """Once the event has said that the turn has it, it is in the thread, and only once."""
    go_on, asked, killed = threading.Event(), threading.Event(), threading.Event()

    def answer(_: object) -> Answer:
        if len(provider.requests) == 1:
            assert go_on.wait(60)
            return LOOKS
        asked.set()
        return {"text": "Tabs."} if killed.is_set() else {"text": "Never read.", "hang_after": 1}

    provider.script(answer)
    process = program.talk()
    assert process.stdin
    process.stdin.write('{"type": "user", "text": "indent"}\n')
    process.stdin.flush()
    thread = read_until(process, "run_started")["thread_id"]
    process.stdin.write('{"type": "steer", "text": "use tabs"}\n')
    process.stdin.flush()
    go_on.set()
    read_until(process, "steered")
    assert not is_read or asked.wait(60)
    kill(process, program)
    killed.set()
    assert program.resume(thread).last["summary"] == "Tabs."
    text = [item["content"] for item in provider.requests[-1].body["messages"]]
    assert text.count("use tabs") == 1
