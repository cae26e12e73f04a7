"""A folder, a disk or a database that is not as it should be: told in words, nothing lost."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from program import Program
from provider import Provider
from small_disk import fill, remount, small_disk

from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex

WRITE = {"name": "write_file", "args": {"path": "log.txt", "content": "x\n"}}
DONE = {"name": "attempt_completion", "args": {"result": "done"}}
TESTED = {"LLC_TASK__TEST_COMMAND": "test -s log.txt"}
FULL = "no space left on device"
MODE = ("--mode", "auto", "--apply")


def answers(*called: Any) -> list[dict[str, Any]]:
    """What the coder does; the architect and the tester agree."""
    turns = [{"tool_calls": [call]} for call in (*called, DONE)]
    return [{"text": "SMALL: log.txt"}, *turns, {"text": "Accepted."}]


def notices(events: list[dict[str, Any]]) -> list[str]:
    return [event["text"] for event in events]


def test_task_outside_repository_works_and_names_missing_features(
    program: Program, provider: Provider
) -> None:
    provider.script(answers(WRITE))
    ended = program.task(*MODE, **TESTED)
    (told,) = notices(ended.told("notice"))
    assert "is not in a git repository" in told and "no history" in told
    assert (ended.code, ended.outcome, ended.last["files"]) == (
        0,
        "verified",
        [{"path": "log.txt", "kind": "added"}],
    )
    subprocess.run(["git", "init", "-q", program.project], check=True)
    provider.script(answers())
    assert program.task(*MODE, **TESTED).told("notice") == []


def test_task_without_git_works_and_names_missing_features(
    program: Program, provider: Provider, tmp_path: Path
) -> None:
    for name in ("sh", "test"):  # all that this task needs
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or "")
    provider.script(answers(WRITE))
    ended = program.task(*MODE, **TESTED, PATH=str(tmp_path / "bin"), MAXAGENT_SANDBOX__MODE="auto")
    told, confined = notices(ended.told("notice"))
    assert told.startswith(
        "git is not installed: changes made by commands cannot be shown or undone"
    )
    assert confined.startswith("no sandbox: ")
    assert (ended.code, ended.outcome) == (0, "verified")
    assert program.lines() == ["x"]


def test_a_current_folder_that_is_gone_is_reported(program: Program) -> None:
    gone = program.project / "gone"
    gone.mkdir()
    command = f'rmdir "{gone}"; exec "{sys.executable}" -m maxagent task x'
    ended = subprocess.run(
        ["sh", "-c", command], cwd=gone, env=program.environ, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert (
        ended.stderr
        == "error: the current folder no longer exists\nhint: `cd` to one that exists\n"
    )


def test_a_home_that_cannot_be_written_is_reported(program: Program) -> None:
    for command in (["task", "x"], ["threads", "list"], ["resume"]):
        ended = program.run(*command, MAXAGENT_HOME="", HOME="/dev/null")
        error, hint = ended.stderr.splitlines()
        assert (ended.code, ended.stdout) == (1, "")
        assert error == "error: cannot keep data in `/dev/null/.llc/data`: `/dev/null` is a file"
        assert "`MAXAGENT_HOME`" in hint


def test_project_on_read_only_disk_is_not_changed(tmp_path: Path, provider: Provider) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        program = Program(disk, provider.url, {"MAXAGENT_HOME": str(tmp_path / "home")})
        remount(disk, "ro")
        provider.script(answers(WRITE))
        ended = program.task(*MODE, "--skip-tests")
        refused, _ = ended.told("tool_result")
        assert refused["error"].endswith("nothing was changed: read-only file system")
        assert (ended.code, ended.outcome) == (0, "unverified")
        assert list(program.project.iterdir()) == []


def test_project_on_full_disk_keeps_its_files(tmp_path: Path, provider: Provider) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        program = Program(disk, provider.url, {"MAXAGENT_HOME": str(tmp_path / "home")})
        (program.project / "log.txt").write_text("old\n")
        fill(disk)
        change = {"file_path": "log.txt", "old_string": "old", "new_string": "x" * 8192}
        new = {"path": "new/log.txt", "content": "x" * 8192}
        read = {"name": "read_file", "args": {"path": "log.txt"}}
        edit, write = {"name": "edit", "args": change}, {"name": "write_file", "args": new}
        provider.script(answers(read, edit, write))
        ended = program.task(*MODE, "--skip-tests")
        errors = [result["error"] for result in ended.told("tool_result")]
        assert [error.rpartition(": ")[2] for error in errors[1:3]] == [
            "no space left on device"
        ] * 2
        assert (ended.code, ended.outcome) == (0, "unverified")
        assert program.lines() == ["old"]
        assert os.listdir(program.project) == ["log.txt"]


def test_full_data_disk_stops_run_without_loss(tmp_path: Path, provider: Provider) -> None:
    with small_disk(tmp_path / "disk", "700k") as disk:
        # no summary of the large files is asked for
        environ = {"MAXAGENT_HOME": str(disk / "home"), "LLC_CONTEXT__AUTO_COMPACT": "false"}
        program = Program(tmp_path / "place", provider.url, environ)
        # a file each: the call for which there was no room is not in the script again
        names = [*(f"{number}.txt" for number in range(8)), "log.txt"]
        contents = [f"{number}\n" * 9000 for number in range(9)]
        files = [{"path": n, "content": c} for n, c in zip(names, contents, strict=True)]
        provider.script(answers(*({"name": "write_file", "args": file} for file in files)))
        full = program.task(*MODE, **TESTED)
        assert (full.code, full.last["type"], full.stderr) == (1, "error", "")
        assert "the disk is full" in full.last["message"] and full.last["hint"]

        remount(disk, "size=20m")
        again = program.resume(full.last["thread_id"], **TESTED)
        assert (again.code, again.outcome, len(provider.requests)) == (0, "verified", 12)
        told = [result["output"] for end in (full, again) for result in end.told("tool_result")]
        made = [name for name in names if any(f"Created `{name}`" in output for output in told)]
        assert len(made) >= 8 and made[-1] == "log.txt"
        whole = dict(zip(names, contents, strict=True))
        assert all((program.project / name).read_text() == whole[name] for name in made)


def test_data_folder_on_read_only_disk_is_readable(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        program = Program(tmp_path / "place", "", {"MAXAGENT_HOME": str(disk / "home")})
        index = ThreadIndex(disk / "home")
        about = {"title": "Hi", "folder": str(program.project), "graph": "task", "request": ""}
        index.record_thread(thread_id="aaaaaaaa-0000-4000-8000-000000000000", **about, options={})
        with closing(connect(disk / "home/data/threads.db")) as connection:
            connection.execute("UPDATE threads SET title = 'Ho'")
            shutil.copytree(disk / "home", disk / "killed")  # the change is in its log only
        remount(disk, "ro")
        killed = str(disk / "killed")
        listed = program.run("threads", "list", "--json", MAXAGENT_HOME=killed)
        assert [row["title"] for row in json.loads(listed.stdout)] == ["Ho"]
        shown = program.run("threads", "show", "aaaa")
        assert (shown.code, shown.stdout.splitlines()[0], shown.stderr) == (0, "title: Ho", "")
        renamed = program.run("threads", "rename", "aaaa", "other")
        assert renamed.code == 1 and "threads.db`: it cannot be written" in renamed.stderr


def test_without_room_for_a_database_nothing_begins(tmp_path: Path, provider: Provider) -> None:
    with small_disk(tmp_path / "disk", "20k") as disk:
        program = Program(tmp_path / "place", provider.url, {"MAXAGENT_HOME": str(disk / "home")})
        for command in (["task", "x"], ["threads", "list"]):
            ended = program.run(*command)
            error, hint = ended.stderr.splitlines()
            assert (ended.code, ended.stdout) == (1, "")
            assert "threads.db`: the disk is full" in error and "free some space" in hint


@pytest.mark.parametrize(
    ("command", "code", "threads"),
    [(("task", "Write the lines.", *MODE), 0, 1), (("threads", "list"), 0, 0), (("resume",), 2, 0)],
    ids=["task", "list", "resume"],
)
def test_invalid_database_is_set_aside_and_reported(
    command: tuple[str, ...], code: int, threads: int, program: Program, provider: Provider
) -> None:
    data = program.home / "data"
    data.mkdir(parents=True)
    (data / "threads.db").write_bytes(b"no database\n" * 400)
    provider.script(answers(WRITE))
    endpoint = {"OPENAI_BASE_URL": provider.url, "LLC_MODEL__DEFAULT": "openai/served"}
    ended = program.run(*command, **endpoint, **TESTED)
    (aside,) = data.glob("threads.db.corrupt-*")
    assert f"It was moved to {aside}. A new one holds" in ended.stderr
    assert (ended.code, aside.read_bytes()) == (code, b"no database\n" * 400)
    assert len(ThreadIndex(program.home).list()) == threads


def test_damaged_database_is_set_aside_when_read(program: Program) -> None:
    index, data = ThreadIndex(program.home), program.home / "data"
    about = {"title": "x" * 3000, "folder": "/", "graph": "task", "request": "", "options": {}}
    for number in range(20):
        index.record_thread(thread_id=f"{number:08}-0000-4000-8000-000000000000", **about)
    database = data / "threads.db"
    pages = bytearray(database.read_bytes())
    pages[4096 * 4 :] = b"\xff" * (len(pages) - 4096 * 4)
    database.write_bytes(pages)
    ended = program.run("threads", "list", "--all")
    logs = ("-wal", "-shm")
    (aside,) = (file for file in data.glob("*.corrupt-*") if not file.name.endswith(logs))
    error, hint = ended.stderr.splitlines()
    assert (ended.code, ended.stdout) == (1, "")
    assert error == (
        f"error: the database was damaged; it was moved to `{aside}`; "
        "these threads, and perhaps others, lost data: ?"
    )
    assert hint.startswith("hint: run the command again")
    again = program.run("threads", "list", "--all", "--json")
    assert (again.code, json.loads(again.stdout)) == (0, [])


def test_hand_edited_database_is_reported_without_traceback(
    program: Program,
) -> None:
    ThreadIndex(program.home)
    with closing(sqlite3.connect(program.home / "data/threads.db")) as connection:
        connection.execute("DROP TABLE threads")
    ended = program.run("threads", "list")
    error, hint = ended.stderr.splitlines()
    assert (ended.code, error) == (
        1,
        "error: internal error: OperationalError: no such table: main.threads",
    )
    (log,) = (program.home / "data/errors").iterdir()
    assert (hint, "Traceback" in log.read_text()) == (
        f"hint: please report this and attach `{log}`",
        True,
    )


@pytest.mark.parametrize("command", ["threads list", "threads show", "threads search", "diff"])
def test_threads_are_read_on_a_full_disk(command: str, tmp_path: Path, provider: Provider) -> None:
    provider.script([{"text": "Hello."}])
    with small_disk(tmp_path / "disk", "8m") as disk:
        program = Program(tmp_path / "user", provider.url, {"MAXAGENT_HOME": str(disk / "home")})
        assert program.chat("hi").code == 0
        fill(disk)
        words = ["threads", "list", "--search", "hi"] if "search" in command else command.split()
        shown = program.run(*words)
        assert (shown.code, "disk" in shown.stderr) == (0, False), shown.stderr
        assert "hi" in shown.stdout or command == "diff"


KILLED = """
import os, sys
from pathlib import Path
from maxagent.config import paths
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex
home = Path(sys.argv[1])
index = ThreadIndex(home)
connection = connect(paths.locate_database(home))
index.record_thread(
    thread_id="11111111-1111-4111-8111-111111111111", title="one", folder="/", graph="chat",
    request="one", options={},
)
os._exit(0)
"""


@pytest.mark.parametrize(
    "command",
    ["threads list --all", "threads show 1111", "threads rename 1111 x", "chat hi", "diff 1111"],
)
@pytest.mark.parametrize("is_filled_first", [False, True])
def test_log_of_a_killed_process_survives_full_disk(
    command: str, is_filled_first: bool, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        home = disk / "home"
        subprocess.run([sys.executable, "-c", KILLED, home], check=True)
        log = home / "data/threads.db-wal"
        content = log.read_bytes()
        if is_filled_first:  # nor is there room for the index of the log
            log.with_name("threads.db-shm").unlink()
        fill(disk)
        program = Program(tmp_path / "user", "http://localhost:9/v1", {"MAXAGENT_HOME": str(home)})
        shown = program.run(*command.split())
        assert "Traceback" not in shown.stderr and "internal error" not in shown.stderr
        assert content and (shown.code == 0 or "space" in shown.stderr), shown.stderr
        (disk / "big").unlink()
        assert program.run("threads", "list", "--all").stdout.count("11111111") == 1
