"""Threads that go on on another machine: another home and folder, the same database and storage."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import says
from postgres_server import PostgresServer, run_server
from program import Program
from provider import Provider
from snapshot_project import git

from maxagent import trust

CHECK = 'test -z "$(sort log.txt | uniq -d)"'
FIRST = [{"text": "SMALL: log.txt"}, says("one")]
REST = [says("two"), {"text": "Two lines are written."}, {"text": "Accepted."}]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with run_server() as running:
        yield running


@pytest.fixture(params=["folder", "repository"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path / "storage")
    git(tmp_path, "init", "--quiet", "--bare", "storage.git")
    return f"file://{tmp_path}/storage.git"


@pytest.fixture
def machines(
    tmp_path: Path, provider: Provider, server: PostgresServer, storage: str
) -> tuple[Program, Program]:
    environ = {
        "LLC_DATABASE": server.create_schema(),
        "LLC_STORAGE": storage,
        "LLC_TASK__TEST_COMMAND": CHECK,
    }
    here, there = (Program(tmp_path / name, provider.url, environ) for name in "ab")
    for machine in (here, there):
        (machine.project / "log.txt").write_text("zero\n")
        trust(machine.project, machine.home)
    return here, there


def move(machine: Program, thread: str) -> None:
    moved = machine.run("threads", "move", thread, ".")
    assert moved.code == 0, moved.stderr


def test_thread_goes_on_and_is_undone(
    machines: tuple[Program, Program], provider: Provider
) -> None:
    here, there = machines
    provider.script([*FIRST, {"status": 401}, *REST])
    first = here.task("--mode", "auto", "--apply")
    thread = first.events[0]["thread_id"]
    assert (first.code, here.lines()) == (1, ["zero", "one"])

    move(there, thread)
    assert there.lines() == ["zero", "one"]
    ended = there.resume(thread)
    assert (ended.code, ended.outcome, there.lines()) == (0, "verified", ["zero", "one", "two"])
    assert here.lines() == ["zero", "one"]

    move(here, thread)
    assert here.lines() == ["zero", "one", "two"]
    assert here.run("undo", thread, "--yes").code == 0
    assert here.lines() == ["zero"]

    move(there, thread)
    assert there.lines() == ["zero"]
    assert there.run("redo", thread, "--yes").code == 0
    assert there.lines() == ["zero", "one", "two"]


@pytest.mark.parametrize("storage", ["folder"], indirect=True)
def test_work_of_others_is_not_overwritten(
    machines: tuple[Program, Program], provider: Provider
) -> None:
    here, there = machines
    provider.script([*FIRST, *REST])
    thread = here.task("--mode", "auto", "--apply").events[0]["thread_id"]
    (there.project / "log.txt").write_text("mine\n")
    (there.project / "own.txt").write_text("own\n")
    refused = there.run("threads", "move", thread, ".")
    assert refused.code == 2 and "`log.txt`" in refused.stderr
    assert there.lines() == ["mine"]

    (there.project / "log.txt").write_text("zero\n")
    move(there, thread)
    assert there.lines() == ["zero", "one", "two"]
    assert (there.project / "own.txt").read_text() == "own\n"
    assert not (here.project / "own.txt").exists()


@pytest.mark.parametrize("storage", ["folder"], indirect=True)
def test_a_storage_that_is_gone_loses_nothing(
    machines: tuple[Program, Program], provider: Provider, tmp_path: Path
) -> None:
    here, _ = machines
    (tmp_path / "storage").write_text("in the way")
    provider.script([*FIRST, *REST])
    failed = here.task("--mode", "auto", "--apply")
    assert failed.code == 1 and "`storage`" in failed.last["message"]
    (tmp_path / "storage").unlink()
    ended = here.resume(failed.events[0]["thread_id"])
    assert (ended.code, ended.outcome, here.lines()) == (0, "verified", ["zero", "one", "two"])


@pytest.mark.parametrize("storage", ["folder"], indirect=True)
def test_a_deleted_thread_leaves_nothing(
    machines: tuple[Program, Program], provider: Provider, tmp_path: Path
) -> None:
    here, _ = machines
    provider.script([*FIRST, *REST])
    thread = here.task("--mode", "auto", "--apply").events[0]["thread_id"]
    listing = ["git", "-C", str(tmp_path / "storage/threads.git"), "for-each-ref"]
    assert thread in subprocess.check_output(listing, text=True)
    assert here.run("threads", "prune", "--older", "0", "--yes").code == 0
    assert thread not in subprocess.check_output(listing, text=True)
