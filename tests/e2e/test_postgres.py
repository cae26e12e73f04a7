"""Tasks whose threads are kept in a real PostgreSQL, which stops and starts meanwhile."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import Answer, says
from postgres_server import PostgresServer, run_server
from program import Program
from provider import Provider

PASSWORD = "Zq8-secret"
GOOD = {"LLC_TASK__TEST_COMMAND": 'test -z "$(sort log.txt | uniq -d)"'}
BEFORE = [{"text": "SMALL: log.txt"}, says("one")]
AFTER = [says("two"), {"text": "Two lines are written."}, {"text": "Accepted."}]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with run_server(PASSWORD) as running:
        yield running


@pytest.fixture
def program(tmp_path: Path, provider: Provider, server: PostgresServer) -> Program:
    environ = {"LLC_DATABASE": server.create_schema(), **GOOD}
    return Program(tmp_path, provider.url, environ)


def start_task(program: Program, *options: str):
    return program.task("--mode", "auto", "--apply", *options, request="Write two lines.")


def test_thread_is_seen_from_another_home(program: Program, provider: Provider) -> None:
    provider.script([*BEFORE, *AFTER])
    ended = start_task(program)
    assert (ended.code, ended.outcome) == (0, "verified")
    thread = ended.events[0]["thread_id"]
    assert not (program.home / "data" / "threads.db").exists()
    transcript = program.run("threads", "show", thread, MAXAGENT_HOME=str(program.home) + "-two")
    assert transcript.code == 0 and "Two lines are written." in transcript.stdout


def test_killed_run_goes_on_at_once(program: Program, provider: Provider) -> None:
    asked, silent = threading.Event(), threading.Event()
    answers = iter([*BEFORE, *AFTER])

    def answer(_: object) -> Answer:
        if len(provider.requests) == len(BEFORE) + 1:
            asked.set()
            silent.wait(60)
            return {"text": "Never read."}
        return next(answers)

    provider.script(answer)
    process = program.start("task", "Write two lines.", "--mode", "auto", "--apply")
    assert process.stdout
    thread = json.loads(process.stdout.readline())["thread_id"]
    assert asked.wait(60)
    process.kill()
    assert program.end(process).code == -signal.SIGKILL
    silent.set()
    ended = program.resume(thread)
    assert (ended.code, ended.outcome, program.lines()) == (0, "verified", ["one", "two"])


@pytest.mark.parametrize("request_number", [1, 2, 3, 4, 5])
def test_database_gone_meanwhile_loses_no_work(
    request_number: int, program: Program, provider: Provider, server: PostgresServer
) -> None:
    answers, stopped = iter([*BEFORE, *AFTER]), list[int]()

    def answer(_: object) -> Answer:
        if len(provider.requests) == request_number and not stopped:
            stopped.append(1)
            server.stop()
            return {"text": "Nobody keeps this."}
        return next(answers)

    provider.script(answer)
    ended = start_task(program)
    server.start()
    assert ended.code == 1 and "cannot use the database" in ended.last["message"]
    assert PASSWORD not in ended.stdout + ended.stderr
    assert "mcode resume" in ended.last["hint"]
    again = program.resume(ended.last["thread_id"])
    assert (again.code, again.outcome, program.lines()) == (0, "verified", ["one", "two"])


def test_password_is_shown_nowhere_and_given_to_nobody(
    program: Program, provider: Provider
) -> None:
    printed = program.run("config", "show").stdout + program.run("doctor", "--report").stdout
    assert "database" in printed and PASSWORD not in printed
    command = {"command": "env > seen.txt"}
    provider.script(
        [
            {"text": "SMALL: seen.txt"},
            {"tool_calls": [{"name": "run_command", "args": command}]},
            {"text": "Done."},
            {"text": "Accepted."},
        ]
    )
    ended = program.task("--mode", "auto", "--apply", LLC_TASK__TEST_COMMAND="true")
    assert ended.code == 0
    seen = (program.project / "seen.txt").read_text()
    assert "PATH=" in seen and "DATABASE" not in seen and PASSWORD not in seen
    logged = [file.read_text(errors="replace") for file in program.home.rglob("*.jsonl")]
    assert PASSWORD not in "".join(logged)


def test_project_chooses_no_database(program: Program, provider: Provider) -> None:
    (program.project / ".llc.yaml").write_text("database: postgres://elsewhere/threads\n")
    refused = program.task("--trust")
    assert refused.code == 2
    assert "`database` can be set in your own configuration only" in refused.stdout + refused.stderr
    assert provider.requests == [] and os.environ.get("LLC_DATABASE") is None
