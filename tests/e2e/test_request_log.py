"""A logged run: its trace, and its replay through the real graph."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from program import Ended, Program
from provider import Provider

EDIT = {"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}
LOOK = {"name": "run_command", "args": {"command": "cat a.txt"}}
TURNS: list[dict[str, Any]] = [
    {"thinking": "Write it.", "tool_calls": [EDIT]},
    {"tool_calls": [LOOK]},
    {"text": "Done."},
]
LOGGED = {"MAXAGENT_LOG__ENABLED": "true"}


@pytest.fixture
def logged(program: Program, provider: Provider) -> Ended:
    provider.script(TURNS)
    return program.chat("Write a file.", "--mode", "auto", **LOGGED)


def find_log(program: Program, ended: Ended) -> Path:
    return program.home / "data" / "logs" / f"{ended.last['thread_id']}.jsonl"


def test_trace_shows_requests_and_calls(program: Program, logged: Ended) -> None:
    thread = logged.last["thread_id"]
    (trace,) = json.loads(program.run("threads", "trace", thread, "--json").stdout)
    assert [len(request["calls"]) for request in trace["requests"]] == [1, 1, 0]
    assert all(request["seconds"] is not None for request in trace["requests"])
    stdout = program.run("threads", "trace", thread).stdout
    assert "build" in stdout and "write_file" in stdout and "openai/served" in stdout


def test_thread_without_log_says_how(program: Program, provider: Provider) -> None:
    provider.script([{"text": "Hi."}])
    ended = program.chat("Hello")
    result = program.run("threads", "trace", ended.last["thread_id"])
    assert result.code == 2 and "mcode --log" in result.stderr


def test_deleted_thread_leaves_no_log(program: Program, logged: Ended) -> None:
    assert find_log(program, logged).exists()
    program.run("threads", "delete", logged.last["thread_id"], "--yes")
    assert not find_log(program, logged).exists()


def test_recorded_run_is_replayed(program: Program, logged: Ended, tmp_path: Path) -> None:
    cassette = shutil.copy(find_log(program, logged), tmp_path / "run.jsonl")
    (program.project / "a.txt").unlink()
    replayed = program.run(
        *("chat", "Write a file.", "--mode", "auto", "--output", "stream-json"),
        *("--model", f"replay/{cassette}"),
    )
    assert (replayed.code, replayed.last["summary"]) == (0, "Done.")
    assert (program.project / "a.txt").read_text() == "one\n"


def test_changed_result_fails_with_difference(
    program: Program, logged: Ended, tmp_path: Path
) -> None:
    cassette = shutil.copy(find_log(program, logged), tmp_path / "run.jsonl")
    (program.project / "a.txt").write_text("two\n")
    replayed = program.run(
        *("chat", "Write a file.", "--mode", "auto", "--output", "stream-json"),
        *("--model", f"replay/{cassette}"),
    )
    assert replayed.last["type"] == "error"
    # already the first request lists the file
    assert "message 2: recorded" in replayed.last["message"]
