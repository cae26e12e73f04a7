"""Workers, the queue and the database, as people run them."""

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from faults import Answer, says
from postgres_server import PostgresServer, run_server
from program import Ended, Program
from provider import Provider, Request
from snapshot_project import git
from warm_start import RunningProgram, start_python

from maxagent.memory.database.connection import connect_server
from maxagent.sdk.workers.claims import EXTEND_SECONDS

CHECK = {"LLC_TASK__TEST_COMMAND": 'test -z "$(sort log.txt | uniq -d)"'}
ENDING = [{"text": "Two lines are written."}, {"text": "Accepted."}]
TURNS = [{"text": "SMALL: log.txt"}, says("one"), says("two"), *ENDING]
RUN = ("--mode", "auto", "--apply")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with run_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def machine(
    request: pytest.FixtureRequest, tmp_path: Path, provider: Provider, server: PostgresServer
) -> Program:
    environ = {"LLC_DATABASE": server.create_schema()} if request.param == "postgres" else {}
    return Program(tmp_path / "a", provider.url, {**CHECK, **environ})


def queue(machine: Program, request: str, *options: str) -> str:
    """Queue a task; its thread."""
    model = ("--model", "openai/served", "--base-url", machine.environ["URL"])
    ended = machine.run("task", request, "--queue", "--output", "json", *model, *RUN, *options)
    assert ended.code == 0, ended.stderr
    return json.loads(ended.stdout)["thread_id"]


@pytest.fixture(autouse=True)
def known_url(request: pytest.FixtureRequest, provider: Provider) -> None:
    if "machine" in request.fixturenames:
        request.getfixturevalue("machine").environ["URL"] = provider.url


def work(machine: Program, *options: str) -> list[dict[str, Any]]:
    """Let a worker empty the queue; the results of its runs."""
    ended = machine.run("worker", "--until-empty", "--json", "--trust", *options)
    assert ended.code == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    return [line for line in lines if line["type"] != "claimed"]


def answer(machine: Program, question: dict[str, Any]) -> Ended:
    """Approve a question that a worker has reported; a worker goes on."""
    option = ("--question", question["id"])
    return machine.run("resume", question["thread_id"], "--approve", "--queue", *option)


def start_worker(machine: Program, *options: str) -> RunningProgram:
    command = ["-m", "maxagent", "worker", "--json", *options]
    return start_python(command, machine.project, machine.environ)


def list_states(machine: Program) -> list[str]:
    listing = machine.run("queue", "list", "--all", "--json")
    return [run["state"] for run in json.loads(listing.stdout)]


def test_queued_task_is_run_by_a_worker(machine: Program, provider: Provider) -> None:
    provider.script(TURNS)
    thread = queue(machine, "Write.")
    assert provider.requests == [] and list_states(machine) == ["queued"]
    (result,) = work(machine)
    assert (result["thread_id"], result.get("outcome")) == (thread, "verified"), str(result)
    assert machine.lines() == ["one", "two"] and list_states(machine) == ["ended"]
    assert machine.run("undo", thread, "--yes").code == 0
    assert not (machine.project / "log.txt").exists()


def list_statuses(machine: Program) -> list[str]:
    listing = machine.run("threads", "list", "--json")
    return [row["status"] for row in json.loads(listing.stdout)]


def test_a_queued_thread_is_shown_so(machine: Program, provider: Provider) -> None:
    provider.script(TURNS)
    thread = queue(machine, "Write.")
    assert list_statuses(machine) == ["queued"]
    assert machine.run("queue", "cancel", thread).code == 0
    assert list_statuses(machine) == ["interrupted"]


def test_question_parks_and_its_answer_goes_on(machine: Program, provider: Provider) -> None:
    provider.script(TURNS)
    thread = queue(machine, "Write.", "--mode", "ask")
    (result,) = work(machine)
    assert (result["status"], provider.requests[-1:]) == ("waiting", provider.requests[1:2])
    for number in range(6):
        states = list_states(machine)
        assert states == ["ended"] * (number + 1)
        if result["status"] != "waiting":
            break
        if number == 0:
            unseen = machine.run("resume", thread, "--approve", "--queue")
            assert unseen.code == 2 and "was not shown here" in unseen.stderr
        answered = answer(machine, result)
        assert answered.code == 0, answered.stderr
        assert list_statuses(machine) == ["queued"]
        (result,) = work(machine)
    assert (result.get("outcome"), machine.lines()) == ("verified", ["one", "two"]), str(result)


def test_an_answer_of_the_past_leaves_the_question(machine: Program, provider: Provider) -> None:
    provider.script(TURNS)
    thread = queue(machine, "Write.", "--mode", "ask")
    (result,) = work(machine)
    assert answer(machine, {**result, "id": "0123456789abcdef"}).code == 0
    (failed,) = work(machine)
    assert (failed["status"], list_statuses(machine)) == ("failed", ["waiting"])
    assert answer(machine, result).code == 0
    assert machine.run("queue", "cancel", thread).code == 0
    assert list_statuses(machine) == ["waiting"]
    assert "more" in machine.run("queue", "list", "--all", "--limit", "1").stderr


def test_a_killed_worker_is_succeeded(machine: Program, provider: Provider) -> None:
    asked, silent = threading.Event(), threading.Event()
    turns = iter(TURNS)

    def respond(_: Request) -> Answer:
        if len(provider.requests) == 3 and not silent.is_set():
            asked.set()
            silent.wait(60)
            return {"text": "Never read."}
        return next(turns)

    provider.script(respond)
    queue(machine, "Write.")
    worker = start_worker(machine)
    assert asked.wait(60)
    worker.kill()
    worker.communicate()
    silent.set()
    (result,) = work(machine)
    assert (result.get("outcome"), machine.lines()) == ("verified", ["one", "two"]), str(result)
    assert list_states(machine) == ["ended"]


def test_an_answer_counts_once(machine: Program, provider: Provider) -> None:
    asked, silent = threading.Event(), threading.Event()
    turns = iter([*TURNS[:2], {"text": "Never read."}, *TURNS[2:]])

    def respond(_: Request) -> Answer:
        turn = next(turns)
        if turn.get("text") == "Never read.":
            asked.set()
            silent.wait(60)
        return turn

    provider.script(respond)
    queue(machine, "Write.", "--mode", "ask")
    (result,) = work(machine)
    assert answer(machine, result).code == 0
    worker = start_worker(machine)
    assert asked.wait(60)
    worker.kill()
    worker.communicate()
    silent.set()
    (result,) = work(machine)
    assert (result["status"], machine.lines()) == ("waiting", ["one"]), str(result)


def read_end(worker: RunningProgram) -> dict[str, Any]:
    """The next result of a worker that goes on."""
    assert worker.stdout
    return next(line for line in map(json.loads, worker.stdout) if line["type"] == "ended")


def test_a_cancelled_thread_is_queued_again(machine: Program, provider: Provider) -> None:
    asked, silent = threading.Event(), threading.Event()
    turns = iter(TURNS)

    def respond(_: Request) -> Answer:
        if len(provider.requests) == 2:
            asked.set()
            silent.wait(EXTEND_SECONDS + 2)
        return next(turns)

    provider.script(respond)
    thread = queue(machine, "Write.")
    worker = start_worker(machine, "--trust")
    assert asked.wait(60)
    assert machine.run("queue", "cancel", thread).code == 0
    assert read_end(worker)["status"] == "interrupted"
    assert machine.run("resume", thread, "--queue").code == 0
    result = read_end(worker)
    worker.send_signal(signal.SIGTERM)
    worker.communicate()
    assert (result.get("outcome"), machine.lines()) == ("verified", ["one", "two"]), str(result)


def test_a_drained_worker_leaves_the_rest(machine: Program, provider: Provider) -> None:
    asked, drained = threading.Event(), threading.Event()
    turns = iter(TURNS)

    def respond(_: Request) -> Answer:
        if len(provider.requests) == 2:
            asked.set()
            drained.wait(60)
        return next(turns)

    provider.script(respond)
    queue(machine, "Write.")
    worker = start_worker(machine)
    assert asked.wait(60)
    worker.send_signal(signal.SIGTERM)
    drained.set()
    stdout, stderr = worker.communicate()
    assert worker.returncode == 0, stderr
    assert json.loads(stdout.splitlines()[-1])["status"] == "interrupted"
    (result,) = work(machine)
    assert (result.get("outcome"), machine.lines()) == ("verified", ["one", "two"]), str(result)


def lose_result(machine: Program) -> None:
    """What a worker leaves that is killed after the end of the thread, and before the job's."""
    change = "workflow_status SET status = 'PENDING', executor_id = 'dead', output = NULL"
    if url := machine.environ.get("LLC_DATABASE"):
        schema = url.rpartition("%3D")[2] + "_queue."
        with closing(connect_server(url)) as connection:
            connection.execute(f"UPDATE {schema}{change}")
        return
    with closing(sqlite3.connect(machine.home / "data/queue.db")) as connection, connection:
        connection.execute(f"UPDATE {change}")


def test_a_lost_result_is_repeated(machine: Program, provider: Provider) -> None:
    provider.script(TURNS)
    queue(machine, "Write.")
    (first,) = work(machine)
    lose_result(machine)
    (again,) = work(machine)
    assert (again["outcome"], again["summary"]) == (first["outcome"], first["summary"])
    assert list_states(machine) == ["ended"]
    assert machine.lines() == ["one", "two"]


def test_database_lost_in_a_drain(
    provider: Provider, server: PostgresServer, tmp_path: Path
) -> None:
    asked, is_stopped = threading.Event(), threading.Event()
    turns = iter([*TURNS[:2], *TURNS[1:]])  # the answer that was cut is given again

    def respond(_: Request) -> Answer:
        if len(provider.requests) == 2:
            asked.set()
            is_stopped.wait(60)
        return next(turns)

    provider.script(respond)
    environ = {**CHECK, "LLC_DATABASE": server.create_schema()}
    machine = Program(tmp_path / "a", provider.url, environ)
    machine.environ["URL"] = provider.url
    queue(machine, "Write.")
    worker = start_worker(machine)
    assert asked.wait(60)
    try:
        server.stop()
        worker.send_signal(signal.SIGTERM)
        is_stopped.set()
        _, stderr = worker.communicate(timeout=120)
    finally:
        server.start()
    assert worker.returncode == 1, stderr
    assert "error: cannot use the database" in stderr and "mcode resume" in stderr
    assert "Traceback" not in stderr
    results = work(machine)
    assert [each.get("outcome") for each in results][-1] == "verified", str(results)
    assert machine.lines() == ["one", "two"]


def test_commands_say_that_the_queue_is_gone(machine: Program, server: PostgresServer) -> None:
    if "LLC_DATABASE" not in machine.environ:
        pytest.skip("the file of SQLite is not gone")
    machine.run("queue", "list")
    server.stop()
    try:
        ended = machine.run("queue", "list")
    finally:
        server.start()
    assert (ended.code, "cannot use the database" in ended.stderr) == (1, True), ended.stderr


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """A repository with one commit."""
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    git(upstream, "init", "--quiet", "-b", "main")
    (upstream / "log.txt").write_text("zero\n")
    git(upstream, "add", ".")
    git(upstream, "commit", "--quiet", "-m", "first")
    return upstream


SHOWING = {
    ("resume",): "run_command",
    ("resume", "--output", "json"): '"type": "question"',
    ("resume", "--output", "stream-json"): '"type": "run_started"',
    ("threads", "show"): "waiting",
    ("threads", "changes"): "",
}


def test_question_is_shown_without_a_clone(
    provider: Provider, server: PostgresServer, upstream: Path, tmp_path: Path
) -> None:
    shared = {
        "LLC_DATABASE": server.create_schema(),
        "LLC_STORAGE": str(tmp_path / "storage"),
        "URL": provider.url,
        **CHECK,
    }
    first, second = (Program(tmp_path / name, provider.url, shared) for name in "ab")
    provider.script(TURNS)
    thread = queue(first, "Write.", "--mode", "ask", "--workspace", f"{upstream}#main")
    (result,) = work(first)
    upstream.rename(tmp_path / "away")
    for command, line in SHOWING.items():
        ended = second.run(*command, thread)
        assert line in ended.stdout + ended.stderr, (command, ended)
        assert not [*second.home.rglob("log.txt")], command
    (tmp_path / "away").rename(upstream)
    ended = second.run("resume", thread, "--approve", "--question", result["id"])
    assert ended.code == 4, ended.stderr
    assert [*second.home.rglob("log.txt")]


def test_clone_goes_on_in_another_home(
    provider: Provider, server: PostgresServer, upstream: Path, tmp_path: Path
) -> None:
    shared = {
        "LLC_DATABASE": server.create_schema(),
        "LLC_STORAGE": str(tmp_path / "storage"),
        "URL": provider.url,
        **CHECK,
    }
    first, second, third = (Program(tmp_path / name, provider.url, shared) for name in "abc")
    provider.script(TURNS)
    thread = queue(first, "Write.", "--mode", "ask", "--workspace", f"{upstream}#main")
    (result,) = work(first)
    while result["status"] == "waiting":
        assert answer(second, result).code == 0
        (result,) = work(third)
    assert result.get("outcome") == "verified", str(result)
    row = json.loads(second.run("threads", "list", "--all", "--json").stdout)[0]
    clone = Path(row["folder"])
    assert clone.is_relative_to(third.home)
    assert (clone / "log.txt").read_text() == "zero\none\ntwo\n"
    diff = second.run("diff", thread)
    assert ("+one" in diff.stdout, "is not here" in diff.stderr) == (True, True), diff.stderr
    assert first.run("undo", thread, "--yes").code == 0
    row = json.loads(second.run("threads", "list", "--all", "--json").stdout)[0]
    assert Path(row["folder"]).is_relative_to(first.home)
    assert (Path(row["folder"]) / "log.txt").read_text() == "zero\n"
    assert (upstream / "log.txt").read_text() == "zero\n"


def test_a_batch_goes_on_and_repeats_nothing(machine: Program, provider: Provider) -> None:
    provider.script([*TURNS, *TURNS])
    tasks = [{"task": "Write.", "id": name, "options": {"mode": "auto"}} for name in "ab"]
    (machine.project / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    options = ("--model", "openai/served", "--apply")
    machine.environ["OPENAI_BASE_URL"] = provider.url
    machine.environ["LLC_LITELLM__BASE_URL"] = provider.url

    def run_batch() -> Ended:
        return machine.run("queue", "batch", "tasks.jsonl", *options)

    assert machine.run("queue", "batch", "tasks.jsonl", "--no-wait", *options).code == 0
    (machine.project / "log.txt").unlink(missing_ok=True)
    results = work(machine)
    assert [result["status"] for result in results] == ["done", "unverified"] or len(results) == 2
    count = len(provider.requests)
    ended = run_batch()
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sorted(line["id"] for line in lines) == ["a", "b"]
    assert len(provider.requests) == count


@pytest.mark.parametrize(
    "line, reason",
    [
        ("no json", "line 1 is no task: it is not JSON"),
        ("[]", "it is no JSON object"),
        ("{}", "it has no `task`"),
        ('{"task": " "}', "it has no `task`"),
        ('{"task": "x", "model": "y"}', "it has an unknown field `model`"),
        ('{"task": "x", "options": []}', "its `options` are no JSON object"),
        ('{"task": "x", "id": "1"}\n{"task": "y", "id": "1"}', "line 2 is no task: the id `1`"),
        ('{"task": "x", "options": {"nope": 1}}', "nope"),
        ('{"task": "x"}\n{"task": "y", "folder": "nowhere"}', "line 2 is no task: `nowhere`"),
        ('{"task": "x"}\n\n{"task": "y", "options": {"mode": "x"}}', "line 3 is no task"),
    ],
)
def test_wrong_line_of_a_batch_is_named(line: str, reason: str, program: Program) -> None:
    (program.project / "tasks.jsonl").write_text(line)
    ended = program.run("queue", "batch", "tasks.jsonl", "--no-wait")
    assert ended.code == 2 and reason in ended.stderr
    assert json.loads(program.run("queue", "list", "--all", "--json").stdout) == []


def test_cancelled_thread_is_not_run(machine: Program, provider: Provider) -> None:
    provider.script(TURNS)
    thread = queue(machine, "Write.")
    assert machine.run("queue", "cancel", thread).code == 0
    assert machine.run("queue", "cancel", thread).code == 1
    assert work(machine) == [] and list_states(machine) == ["cancelled"]
    assert provider.requests == []


def test_threads_are_copied_there_and_back(
    program: Program, provider: Provider, server: PostgresServer, tmp_path: Path
) -> None:
    provider.script(TURNS)
    ended = program.task(*RUN, **CHECK)
    thread = ended.events[0]["thread_id"]
    file, url = str(program.home / "data/threads.db"), server.create_schema()
    assert program.run("db", "copy", file, url).code == 0
    refused = program.run("db", "copy", file, url)
    assert refused.code == 2 and "has threads already" in refused.stderr
    back = str(tmp_path / "back/data/threads.db")
    assert program.run("db", "copy", url, back).code == 0
    there = {"LLC_DATABASE": url}
    here = {"MAXAGENT_HOME": str(tmp_path / "back")}
    transcript = program.run("threads", "show", thread)
    assert "Two lines are written." in transcript.stdout
    assert program.run("threads", "show", thread, **there).stdout == transcript.stdout
    assert program.run("threads", "show", thread, **here).stdout == transcript.stdout
    status = json.loads(program.run("db", "status", "--json", **there).stdout)
    assert status["threads"] == 1 and "mcode" not in status["database"]
    assert program.run("undo", thread, "--yes", **there).code == 0
    assert program.run("db", "migrate", **there).code == 0


def test_closed_output_holds_no_job(program: Program, provider: Provider) -> None:
    provider.script(TURNS)
    program.environ |= {"URL": provider.url, **CHECK}
    queue(program, "Write.")
    command = f"{sys.executable} -m maxagent worker --until-empty --trust --json | true"
    subprocess.run(command, shell=True, cwd=program.project, env=program.environ, check=True)
    assert program.lines() == ["one", "two"] and list_states(program) == ["ended"]
