"""A tool loop over the Responses API, against a server that refuses what the real one refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import Program
from responses_provider import ResponsesProvider

PAIRS = 5
"""Answers of two calls each; one stream breaks off in the middle."""
GOOD = 'test "$(wc -l < log.txt)" = 5 && test -z "$(sort log.txt | uniq -d)"'


@pytest.fixture
def server() -> Iterator[ResponsesProvider]:
    with ResponsesProvider() as opened:
        yield opened


def write_line(number: int) -> dict[str, Any]:
    """Think, write a line, think again, look at the file."""
    command = {"name": "run_command", "args": {"command": f"echo {number} >> log.txt"}}
    look = {"name": "read_file", "args": {"path": "log.txt"}}
    return {"items": [{"thinking": "A line."}, command, {"thinking": "Is it there?"}, look]}


def build_script() -> list[dict[str, Any]]:
    lines = [write_line(number) for number in range(PAIRS)]
    cut = {**lines[2], "cut_after": 9}
    plan = {"thinking": "Easy.", "text": "Write five lines."}
    done = {"thinking": "All there?", "text": "Every line is written."}
    return [plan, *lines[:2], cut, *lines[2:], done, {"text": "Accepted."}]


def test_ten_calls_with_thinking_and_cut_stream(tmp_path: Path, server: ResponsesProvider) -> None:
    program = Program(tmp_path, server.url, {"LLC_TASK__TEST_COMMAND": GOOD})
    server.script(build_script())
    ended = program.task("--mode", "auto", "--apply", "--model", "openai/gpt-5.3-codex")
    assert (ended.code, ended.outcome, server.refused) == (0, "verified", [])
    assert program.lines() == [str(number) for number in range(PAIRS)]
    assert len(ended.told("retry")) == 1
    bodies = [request.body for request in server.requests if request.body["input"]]
    coder = max(bodies, key=lambda body: len(body["input"]))["input"]
    kinds = [item["type"] for item in coder if item.get("type") == "reasoning"]
    calls = [item["call_id"] for item in coder if item.get("type") == "function_call"]
    assert (len(kinds), len(calls)) == (2 * PAIRS, 2 * PAIRS)
