"""The audit of real runs: who was asked, answered and what ran, also after a kill."""

import json
import sqlite3

import pytest
from program import Program
from provider import Provider

WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}
RUN = {"name": "run_command", "args": {"command": "ls"}}


def read_audit(program: Program, thread: str) -> list[dict[str, object]]:
    ended = program.run("threads", "audit", thread)
    assert ended.code == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize(("answer", "ran"), [(["--approve"], True), (["--reject", "no"], False)])
def test_a_question_its_answer_and_the_call(
    program: Program, provider: Provider, answer: list[str], ran: bool
) -> None:
    provider.script([{"tool_calls": [RUN]}, {"tool_calls": [WRITE]}, {"text": "Done."}])
    model = [
        "--model",
        "openai/served",
        "--base-url",
        provider.url,
        "--mode",
        "ask",
        "--output",
        "json",
    ]
    asked = program.run("chat", "Write it", *model)
    thread = str(asked.last["thread_id"])
    program.run("resume", thread, *answer)

    records = read_audit(program, thread)
    by_kind = {str(record["kind"]): record for record in records}
    assert "a.txt" in json.dumps(by_kind["asked"]["shown"])
    assert by_kind["answered"]["question"] == by_kind["asked"]["question"]
    assert by_kind["answered"]["user"]
    started = [record["tool"] for record in records if record["kind"] == "started"]
    assert started == ["run_command", *(["write_file"] if ran else [])]
    assert all(record["rule"] for record in records if record["kind"] == "started")
    verified = program.run("threads", "audit", thread, "--verify")
    assert verified.code == 0 and str(records[-1]["hash"]) in verified.stderr + verified.stdout
    with sqlite3.connect(program.home / "data" / "threads.db") as connection:
        connection.execute("UPDATE journal SET result = REPLACE(result, 'ls', 'lz')")
    broken = program.run("threads", "audit", thread, "--verify")
    assert broken.code == 1 and "was changed" in broken.stdout
