"""Homes of earlier versions, opened by this one: no thread is lost, and each can be gone on with.

`evals/upgrade/make_homes.py` made them. They are opened where they were made, byte for byte:
folders are in the threads. A file is locked, since others may test on this machine, too.
"""

import fcntl
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confinement import SURROUNDINGS
from program import Ended
from warm_start import run_mcode

HOMES = Path(__file__).parents[1] / "fixtures" / "homes"
PLACE = Path("/tmp/maxagent-homes")
VERSIONS = sorted(file.name.removesuffix(".tar.xz") for file in HOMES.glob("*.tar.xz"))


@dataclass(frozen=True)
class OldHome:
    """A home with its project, as it was left."""

    folder: Path

    def mcode(self, *arguments: str) -> Ended:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "MAXAGENT_HOME": str(self.folder / "home"),
            "LLC_THREADS__TITLES": "false",
            **SURROUNDINGS,
        }
        ended = run_mcode(arguments, self.folder / "project", environ)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def read(self, *arguments: str) -> Any:
        ended = self.mcode(*arguments)
        assert ended.code == 0, ended.stderr
        return json.loads(ended.stdout)

    def write_script(self, *answers: Any) -> None:
        """Write what the model of the threads says, from their first turn on."""
        (self.folder / "script.json").write_text(json.dumps(answers))

    @property
    def text(self) -> str:
        return (self.folder / "project" / "a.txt").read_text()


@pytest.fixture(params=VERSIONS)
def home(request: pytest.FixtureRequest) -> Iterator[OldHome]:
    PLACE.mkdir(exist_ok=True)
    folder = PLACE / request.param
    with (PLACE / f".{request.param}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)
        with tarfile.open(HOMES / f"{request.param}.tar.xz") as archive:
            archive.extractall(PLACE, filter="data")
        yield OldHome(folder)
        shutil.rmtree(folder, ignore_errors=True)


def run(command: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


def list_messages(thread: Any) -> list[str]:
    kinds = ("human", "answer")
    return [entry["text"] for entry in thread["transcript"] if entry["kind"] in kinds]


def test_every_thread_is_there_with_its_words(home: OldHome) -> None:
    rows = {row["name"]: row for row in home.read("threads", "list", "--json")}
    assert {name: row["status"] for name, row in rows.items()} == {
        "kept": "idle",
        "waiting": "waiting",
    }
    expected = ["Write one.", "One is written.", "Write two.", "Two is written."]
    assert list_messages(home.read("threads", "show", "kept", "--json")) == expected


def test_a_conversation_goes_on_and_its_files_go_back(home: OldHome) -> None:
    first = [run("printf one > a.txt"), {"text": "One is written."}]
    second = [run("printf two > a.txt"), {"text": "Two is written."}]
    home.write_script(*first, *second, run("printf three > a.txt"), {"text": "Three."})
    ended = home.mcode(
        "chat", "Write three.", "-p", "--resume", "kept", "--mode", "auto", "--trust"
    )
    assert (ended.code, ended.stdout.strip()) == (0, "Three."), ended.stderr
    texts = [home.text]
    for _ in range(3):
        assert home.mcode("undo", "kept", "--yes").code == 0
        file = home.folder / "project" / "a.txt"
        texts.append(file.read_text() if file.exists() else "")
    assert texts == ["three", "two", "one", ""]
    assert home.mcode("redo", "kept", "--yes").code == 0
    assert home.text == "one"


def test_a_question_of_before_is_answered(home: OldHome) -> None:
    home.write_script(run("touch asked"), {"text": "Touched."})
    ended = home.mcode("resume", "waiting", "--output", "json", "--trust")
    assert ended.last["type"] == "question", ended.stderr
    answer = ["--approve", "--question", ended.last["id"], "--output", "json"]
    assert home.mcode("resume", "waiting", *answer).last["summary"] == "Touched."
    assert (home.folder / "project" / "asked").exists()


def test_a_rewind_and_an_export_hold(home: OldHome) -> None:
    assert home.mcode("rewind", "kept", "--to", "2", "--yes").code == 0
    assert home.text == "one"
    assert list_messages(home.read("threads", "show", "kept", "--json"))[:2] == [
        "Write one.",
        "One is written.",
    ]
    archive = home.folder / "kept.zip"
    exported = home.mcode("threads", "export", "kept", str(archive))
    assert exported.code == 0, exported.stderr
    imported = home.mcode("threads", "import", str(archive), "--folder", ".")
    assert imported.code == 0, imported.stderr


def test_a_home_of_a_later_version_says_so(home: OldHome) -> None:
    with closing(sqlite3.connect(home.folder / "home" / "data" / "threads.db")) as connection:
        connection.execute("PRAGMA user_version = 999")
        before = list(connection.iterdump())
    for arguments in (["threads", "list"], ["undo", "--yes"], ["resume", "waiting"]):
        ended = home.mcode(*arguments)
        assert (ended.code, "a newer MaxAgent wrote" in ended.stderr) == (2, True), ended.stderr
    with closing(sqlite3.connect(home.folder / "home" / "data" / "threads.db")) as connection:
        assert list(connection.iterdump()) == before
