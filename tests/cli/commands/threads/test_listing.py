import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from terminal import CONFIRM, READY, Terminal
from warm_start import run_mcode, start_python

from maxagent.config import paths
from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease
from maxagent.memory.threads.pull_requests import PullRequestRecord, PullRequestRecords
from maxagent.memory.undo.history import FileHistory
from maxagent.sdk.pull_requests.proposal import Proposal
from maxagent.sdk.workers.queue import ThreadJob, ThreadQueue
from maxagent.tools.git.commits import Identity

ADDRESS = f"{socket.gethostname()}:{os.getpid()}"
A, B, C = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abc")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def index(home: Path, folder: Path) -> ThreadIndex:
    """Two threads of the folder and one of another."""
    index = ThreadIndex(home)
    process = [
        (A, "Repair the login", folder),
        (B, "修复中文标题的登录", folder),
        (C, "Another", folder.parent),
    ]
    for thread, title, where in process:
        index.record_thread(
            thread_id=thread,
            title=title,
            folder=str(where),
            graph="task",
            request=f"{title}\nplease",
            options={"mode": "auto"},
        )
    index.set_status(A, "waiting")
    return index


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(home: Path, folder: Path) -> Run:
    """`mcode threads …` as a process of its own, in the folder."""

    def run(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return run_mcode(["threads", *arguments], folder, environment(home, variables))

    return run


def environment(home: Path, variables: Mapping[str, str]) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "MAXAGENT_HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "TZ": "UTC",
        **variables,
    }


def test_list_shows_folder_threads_most_recent_first(index: ThreadIndex, run: Run) -> None:
    result = run("list")
    header, first, second = result.stdout.splitlines()
    assert header.split() == ["id", "status", "steps", "last", "used", "title"]
    assert (first[:8], second[:8]) == (A[:8], B[:8])
    assert first.split()[1:3] == ["waiting", "0"] and first.endswith("Repair the login")
    assert second.split()[1] == "interrupted"
    assert result.stderr == "1 more in other folders: run `mcode threads list --all`\n"
    assert result.returncode == 0


def test_columns_stand_below_each_other(index: ThreadIndex, run: Run) -> None:
    lines = run("list").stdout.splitlines()
    starts = {line.index(word) for line, word in zip(lines, ("title", "Repair", "修"), strict=True)}
    assert len(starts) == 1


def test_all_threads_are_listed_with_their_folder(
    index: ThreadIndex, run: Run, folder: Path
) -> None:
    index.rename(C, "other")
    result = run("list", "--all")
    assert [line[:8] for line in result.stdout.splitlines()[1:]] == [A[:8], C[:8], B[:8]]
    assert f" {folder.parent} other · Another" in " ".join(result.stdout.split())
    assert result.stderr == ""


def test_a_list_for_programs(index: ThreadIndex, run: Run, folder: Path) -> None:
    rows = json.loads(run("list", "--json").stdout)
    assert [row["thread_id"] for row in rows] == [A, B]
    assert rows[0]["status"] == "waiting" and rows[1]["title"] == "修复中文标题的登录"
    assert set(rows[0]) == {
        "thread_id", "title", "name", "folder", "graph", "request", "status", "options",
        "evidence", "parent", "parent_step", "steps", "questions", "created_at", "updated_at",
        "files_undone", "holder",
    }  # fmt: skip
    assert len(json.loads(run("list", "--json", "--all").stdout)) == 3


def test_threads_are_searched_by_their_messages(index: ThreadIndex, run: Run) -> None:
    result = run("list", "--search", "LOGIN please")
    assert [line[:8] for line in result.stdout.splitlines()[1:]] == [A[:8]]
    assert "修复" in run("list", "--search", "登录").stdout
    other = run("list", "--search", "another")
    assert other.stdout == "" and "1 more in other folders" in other.stderr
    nothing = run("list", "--search", "zzz")
    assert (nothing.stdout, nothing.returncode) == ("", 0)
    assert "No thread contains all these words" in nothing.stderr
    assert run("list", "--search", "zzz", "--json").stdout == "[]\n"


def test_a_fork_is_marked_in_the_list(index: ThreadIndex, run: Run) -> None:
    fork = replace(index.get(B), thread_id=thread_id.create_thread_id(), parent=B, parent_step=2)
    index.fork(fork, "", 0)
    titles = [line.partition("修")[0] for line in run("list").stdout.splitlines() if "修" in line]
    assert sorted(title.endswith("↳ ") for title in titles) == [False, True]
    assert f"forked from: {B[:8]} at step 2\n" in run("show", fork.thread_id).stdout


def test_without_any_thread_that_is_reported(run: Run) -> None:
    result = run("list")
    assert (result.stdout, result.returncode) == ("", 0)
    assert "No threads yet" in result.stderr
    assert run("list", "--json").stdout == "[]\n"


def test_the_interface_speaks_chinese(index: ThreadIndex, run: Run) -> None:
    result = run("list", MAXAGENT_LANG="zh")
    assert result.stdout.splitlines()[0].split() == ["id", "状态", "步数", "最近使用", "标题"]
    assert "等待回答" in result.stdout and "已中断" in result.stdout


def test_show_prints_command_to_continue_thread(index: ThreadIndex, run: Run, folder: Path) -> None:
    index.set_status(
        A, "waiting", evidence={"command": "pytest -q", "verdict": "failed", "reason": "1 failed"}
    )
    result = run("show", A[:4])
    lines = result.stdout.splitlines()
    for line in (
        "title: Repair the login",
        f"id: {A}",
        f"folder: {folder}",
        "status: waiting",
        "  Repair the login",
        "  please",
        "evidence: pytest -q: failed, 1 failed",
        f"continue with: mcode resume {A[:8]} [--approve | --reject WHY | --answer TEXT]",
    ):
        assert line in lines
    assert json.loads(run("show", A, "--json").stdout)["request"] == "Repair the login\nplease"


def test_show_names_answers_of_a_pull_request(index: ThreadIndex, home: Path, run: Run) -> None:
    user = Identity("Ada", "ada@example.com", "0 +0000")
    texts = ("github.com/a/b", "origin", "mcode/x", "main", "c0ffee", "7ree", "x", "x", "x")
    proposal = Proposal(*texts, user, user, (), "", 1)
    records = PullRequestRecords(paths.locate_database(home))
    records.save(PullRequestRecord(A, "asked", proposal.to_json()))
    index.set_status(A, "waiting")
    answer = f"--question {proposal.question_id[:8]} [--approve | --reject WHY]"
    assert f"continue with: mcode resume {A[:8]} {answer}" in run("show", A).stdout


def test_evidence_of_no_command_names_none(index: ThreadIndex, run: Run) -> None:
    none = {"command": "", "verdict": "unverified", "reason": "no tests were found"}
    index.set_status(A, "unverified", evidence=none)
    assert "evidence: unverified, no tests were found" in run("show", A).stdout.splitlines()


def test_a_running_thread_is_shown_with_its_process(
    index: ThreadIndex, run: Run, home: Path
) -> None:
    with acquire_lease(home, B):
        stdout = run("show", B).stdout
    assert f"running in process: {os.getpid()} " in stdout
    assert "continue with" not in stdout


HOLDERS = [
    (("threads", "list"), "running on {address} "),
    (("threads", "list", "--json"), '"holder": "{address}"'),
    (("threads", "tree", B), "running on {address} "),
    (("threads", "watch"), "running on {address} "),
    (("threads", "watch", "--json"), '"holder": "{address}"'),
    (("queue", "list"), "queued  {address}  "),
    (("queue", "list", "--json"), '"holder": "{address}"'),
]


@pytest.mark.parametrize(("command", "line"), HOLDERS, ids=[" ".join(row[0]) for row in HOLDERS])
def test_each_list_names_who_runs_a_thread(
    index: ThreadIndex, home: Path, folder: Path, command: tuple[str, ...], line: str
) -> None:
    ThreadQueue(home).enqueue(ThreadJob(B, 1, str(folder)))
    with acquire_lease(home, B):
        running = start_python(["-m", "maxagent", *command], folder, environment(home, {}))
        assert running.stdout
        printed = next(text for text in running.stdout if line.format(address=ADDRESS) in text)
        running.kill()
        running.communicate()
    assert B[:8] in printed or "{address}" not in printed


@pytest.mark.parametrize("command", [["show"], ["rename", "--", "name"], ["delete", "--yes"]])
@pytest.mark.parametrize("thread", ["zzzz", "aaa", "'; DROP TABLE threads; --"])
def test_an_unknown_thread_is_wrong_usage(
    command: list[str], thread: str, index: ThreadIndex, run: Run
) -> None:
    name, *options = command
    arguments = [name, "--", thread, "n"] if name == "rename" else [name, *options, "--", thread]
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"no thread `{thread}`\n" in result.stderr
    assert len(index.list()) == 3


def test_renamed_thread_is_found_by_name(index: ThreadIndex, run: Run) -> None:
    result = run("rename", A[:8], "login")
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "Renamed thread aaaaaaaa to login\n"
    assert f"id: {A}" in run("show", "login").stdout
    assert "login · Repair the login" in run("list").stdout


def test_deleting_needs_a_yes(index: ThreadIndex, run: Run) -> None:
    refused = run("delete", A)
    assert (refused.returncode, len(index.list())) == (4, 3)
    assert "add `--yes`" in refused.stderr
    done = run("delete", A, "--yes")
    assert (done.returncode, done.stderr) == (0, "Deleted thread aaaaaaaa\n")
    assert [row.thread_id for row in index.list()] == [C, B]


def test_a_thread_that_runs_is_not_deleted(index: ThreadIndex, run: Run, home: Path) -> None:
    with acquire_lease(home, A):
        result = run("delete", A, "--yes")
    assert result.returncode == 1
    assert f"is in use by process {os.getpid()} " in result.stderr


def test_damaged_database_is_reported_and_replaced(
    index: ThreadIndex, run: Run, home: Path
) -> None:
    paths.locate_database(home).write_bytes(bytes(10_000))
    result = run("list")
    assert result.returncode == 0
    assert "The database was damaged. It was moved to" in result.stderr
    (aside,) = paths.ensure_data_folder(home).glob("threads.db.corrupt-*")
    assert str(aside) in result.stderr and aside.read_bytes() == bytes(10_000)
    assert "damaged" not in run("list").stderr


def test_foreign_text_cannot_play_with_the_terminal(
    index: ThreadIndex, run: Run, folder: Path
) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\nfake  row"
    index.record_thread(
        thread_id=thread_id.create_thread_id(),
        title=evil,
        folder=str(folder),
        graph="task",
        request=evil,
        options={},
    )
    evil_id = index.list()[0].thread_id
    for output in (run("list"), run("list", "--all"), run("show", evil_id)):
        assert "owned" in output.stdout
        assert not set("\x1b\x07\u202e") & set(output.stdout)
    assert len(run("list").stdout.splitlines()) == 4


def open_terminal(home: Path, folder: Path, *arguments: str, columns: int) -> Terminal:
    """Open a terminal of 50 rows in which `mcode threads` runs."""
    command = [sys.executable, "-m", "maxagent", "threads", *arguments]
    return Terminal(command, folder, environment(home, {}), columns=columns, rows=50)


@pytest.mark.parametrize("columns", [30, 50, 80, 200])
def test_the_list_fits_the_terminal(
    columns: int, index: ThreadIndex, home: Path, folder: Path
) -> None:
    from rich.text import Text

    with open_terminal(home, folder, "list", columns=columns) as terminal:
        terminal.end()
    lines = Text.from_ansi(terminal.shown.replace("\r", "")).plain.splitlines()
    rows = [line for line in lines if line[:8] in (A[:8], B[:8])]
    assert len(rows) == 2
    assert all(Text(line).cell_len <= columns for line in lines if "threads list" not in line)
    assert ("Repair the login" in rows[0]) == (columns >= 50)
    assert ("last used" in "".join(lines)) == (columns >= 80)


@pytest.mark.parametrize(
    ("typed", "number", "code"), [(CONFIRM, 2, 0), ("\r", 3, 1), ("no\r", 3, 1), ("why?\r", 3, 1)]
)
def test_on_a_terminal_deleting_asks(
    typed: str, number: int, code: int, index: ThreadIndex, home: Path, folder: Path
) -> None:
    with open_terminal(home, folder, "delete", A, columns=80) as terminal:
        assert "Delete thread aaaaaaaa (Repair the login)" in terminal.until(READY)
        assert terminal.type(typed).end() == code
    assert len(index.list()) == number


@pytest.mark.parametrize(
    "command",
    [
        ["list", "--search", "login"],
        ["list", "--all", "--json"],
        ["show", A],
        ["show", A, "--json"],
    ],
)
def test_neither_langgraph_nor_any_model_is_loaded(
    command: list[str], index: ThreadIndex, home: Path, folder: Path
) -> None:
    code = (
        "import sys; from maxagent.cli.commands.threads.app import app; "
        "sys.argv[1:] = "
        f"{command!r}\ntry: app()\nfinally: print('\\n', *sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment(home, {}),
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {
        "langgraph", "langchain_core", "langsmith", "openai", "mcp", "httpx2", "rich", "ruamel",
    }  # fmt: skip
    assert heavy & set(result.stdout.splitlines()[-1].split()) == set()


def test_every_status_has_a_word_in_both_languages() -> None:
    from typing import get_args

    from maxagent.cli.i18n.catalogs import load_catalog
    from maxagent.memory.threads.index import ThreadStatus

    for language in ("en", "zh"):
        messages = load_catalog("mcode", language).list_messages()
        assert {f"threads.status.{status}" for status in get_args(ThreadStatus)} <= set(messages)


def test_a_size_is_shown_on_request(index: ThreadIndex, run: Run, folder: Path, home: Path) -> None:
    outputs = paths.locate_outputs(home, A)
    outputs.mkdir(parents=True)
    (outputs / "whole.txt").write_bytes(b"x" * 2500)
    result = run("list", "--size")
    header, first, second = result.stdout.splitlines()
    assert "size" in header.split()
    assert "2.5 kB" in first and "0 bytes" in second
    assert "database: " in result.stderr
    rows = json.loads(run("list", "--size", "--json").stdout)
    assert [row["size"] for row in rows] == [2500, 0]


def test_files_that_were_put_back_are_reported(index: ThreadIndex, run: Run, home: Path) -> None:
    version = FileVersion("100644", "1" * 40)
    change = PathChange("a.txt", version, ABSENT)
    history = FileHistory(paths.locate_database(home))
    history.record_entry(A, "undo-1", "undo", before="b", after="a", turn=1, changes=[change])
    first, second = run("list").stdout.splitlines()[1:]
    assert "waiting, files restored" in first and "restored" not in second
    assert "status: waiting, files restored\n" in run("show", A).stdout
    assert [row["files_undone"] for row in json.loads(run("list", "--json").stdout)] == [
        True,
        False,
    ]
