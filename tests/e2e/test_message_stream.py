"""`--input stream-json`: turns, answers, interruptions and mistakes on one thread."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from program import Program
from provider import Provider

WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}]}
LOOKS = {"tool_calls": [{"name": "list_files", "args": {}}]}
STREAMS = ("--input", "stream-json")


def lines(*output: dict | str) -> str:
    """Lines as a program writes them; a text is a message."""
    message = [{"type": "user", "text": item} if isinstance(item, str) else item for item in output]
    return "".join(f"{json.dumps(item)}\n" for item in message)


def test_turns_and_answers_alternate_on_one_thread(program: Program, provider: Provider) -> None:
    provider.script([{"text": "One."}, WRITES, {"text": "Written."}, {"text": "Four."}])
    yes = {"type": "answer", "approve": True}
    ended = program.chat(*STREAMS, stdin=lines("one", "write it", yes, "four").rstrip())
    ends = [event for event in ended.events if event["type"] in ("completion", "question")]
    assert [end.get("summary") for end in ends] == ["One.", None, "Written.", "Four."]
    assert (ended.code, ended.stderr, program.lines("new.txt")) == (0, "", ["new"])
    assert len({event["thread_id"] for event in ended.told("run_started")}) == 1


@pytest.mark.parametrize(
    ("last", "text"),
    [
        ('{"type": "user"', "line 3 of stdin: Invalid JSON"),
        ('{"type": "answer", "approve": true}', "has no open question"),
        ('{"type": "shout"}', "line 3 of stdin: Input tag 'shout'"),
    ],
)
def test_invalid_line_ends_stream_after_earlier_lines(
    last: str, text: str, program: Program, provider: Provider
) -> None:
    provider.script([{"text": "One."}, {"text": "Two."}])
    ended = program.chat(*STREAMS, stdin=lines("one", {"type": "user", "text": "two"}) + last)
    assert [end["summary"] for end in ended.told("completion")] == ["One.", "Two."]
    assert (ended.code, text in ended.stderr, "hint:" in ended.stderr) == (2, True, True)


def test_a_question_that_nobody_answers_is_left_open(program: Program, provider: Provider) -> None:
    provider.script([WRITES, {"text": "Written."}])
    ended = program.chat(*STREAMS, stdin=lines("write it"))
    assert (ended.code, ended.last["type"]) == (4, "question")
    output = program.chat(*STREAMS, "-c", stdin=lines("something else"))
    assert (output.code, output.stdout, "waits for an answer" in output.stderr) == (2, "", True)
    answered = program.chat(*STREAMS, "-c", stdin=lines({"type": "answer", "approve": True}))
    assert (answered.code, answered.last["summary"]) == (0, "Written.")


@contextmanager
def talking(program: Program) -> Iterator["subprocess.Popen[str]"]:
    """A conversation whose lines are written as it goes on."""
    with program.talk() as process:
        try:
            yield process
        finally:
            process.kill()


def write(process: "subprocess.Popen[str]", *output: dict | str) -> None:
    assert process.stdin
    process.stdin.write(lines(*output))
    process.stdin.flush()


def until(process: "subprocess.Popen[str]", kind: str) -> dict:
    """Read to the next event of that kind."""
    assert process.stdout
    return next(e for line in process.stdout if (e := json.loads(line))["type"] == kind)


def test_interrupt_stops_turn_at_once_before_next_message(
    program: Program, provider: Provider
) -> None:
    provider.script([{"text": "Long words without end.", "hang_after": 3}, {"text": "Short."}])
    with talking(program) as process:
        write(process, "tell me")
        until(process, "output")
        write(process, {"type": "interrupt"})
        assert until(process, "interrupted")["reason"] == "user"
        write(process, "shorter")
        assert until(process, "completion")["summary"] == "Short."
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


def test_process_waiting_for_input_ends_with_its_reader(
    program: Program, provider: Provider
) -> None:
    """Neither an open stdin nor whoever reads it keeps an ended process."""
    provider.script([{"status": 401, "body": "no such key"}])
    with talking(program) as process:
        write(process, "hi")
        assert until(process, "error")["exit_code"] == 1
        assert process.wait() == 1


def test_no_line_at_all_is_wrong_use(program: Program, provider: Provider) -> None:
    ended = program.chat(*STREAMS)
    assert (ended.code, ended.stdout, "no message given" in ended.stderr) == (2, "", True)
    assert provider.requests == []


def test_message_to_the_running_turn_is_read_between_calls(
    program: Program, provider: Provider
) -> None:
    answers = iter([LOOKS, {"text": "Tabs."}, {"text": "Next."}, {"text": "Late."}])
    go_on = threading.Semaphore(0)
    provider.script(lambda _: go_on.acquire(timeout=60) and next(answers))
    with talking(program) as process:
        write(process, "indent")
        until(process, "run_started")
        write(process, {"type": "steer", "text": "use tabs"}, "then this")
        wait_for(lambda: provider.requests)
        go_on.release(2)
        assert until(process, "steered")["text"] == "use tabs"
        assert until(process, "completion")["summary"] == "Tabs."
        until(process, "run_started")
        write(process, {"type": "steer", "text": "too late for it"})
        wait_for(lambda: len(provider.requests) == 3)
        go_on.release(2)
        assert [until(process, "completion")["summary"] for _ in range(2)] == ["Next.", "Late."]
    asked = [request.body["messages"] for request in provider.requests]
    assert [item["content"] for item in asked[-1] if item["role"] == "user"] == [
        *("indent", "use tabs", "then this", "too late for it")
    ]


def test_message_after_the_turn_starts_the_next(program: Program, provider: Provider) -> None:
    provider.script([{"text": "One."}])
    ended = program.chat(*STREAMS, stdin=lines({"type": "steer", "text": "one"}))
    assert (ended.code, ended.last["summary"]) == (0, "One.")


def wait_for(condition: Callable[[], object]) -> None:
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.02)
