import fcntl
import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from listed_threads import begin_elsewhere, record

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError, ThreadBusyError, UsageError
from maxagent.memory.checkpoints.thread_rows import CheckpointRow
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect
from maxagent.memory.journal import Journal
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex, ThreadStatus
from maxagent.memory.threads.lease import acquire_lease, get_lock_path
from maxagent.memory.threads.pull_requests import PullRequestRecord, PullRequestRecords
from maxagent.memory.threads.transfer_rows import TransferRows


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def index(home: Path) -> ThreadIndex:
    return ThreadIndex(home)


def test_a_recorded_thread_is_listed_as_it_is(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    row = record(index, tmp_path)
    with acquire_lease(home, row.thread_id):
        held = replace(row, holder=f"{socket.gethostname()}:{os.getpid()}")
        assert index.list() == [held] == [index.get(row.thread_id)]
    assert (row.status, row.request, row.options) == (
        "running",
        "Repair the test, please",
        {"mode": "auto"},
    )


def test_question_about_a_pull_request_counts(index: ThreadIndex, home: Path) -> None:
    row = record(index, home)
    index.set_status(row.thread_id, "waiting")
    records = PullRequestRecords(paths.locate_database(home))
    for state, count in (("asked", 1), ("declined", 0)):
        records.save(PullRequestRecord(row.thread_id, state))
        assert index.get(row.thread_id).questions == count


def test_list_by_folder_puts_last_used_first(index: ThreadIndex, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    first, second, other = record(index, here), record(index, here), record(index, there)
    index.set_status(first.thread_id, "done")
    assert [row.thread_id for row in index.list(here)] == [
        first.thread_id,
        second.thread_id,
    ]
    assert index.get_latest(here).thread_id == first.thread_id
    (tmp_path / "link").symlink_to(there)
    assert index.get_latest(tmp_path / "link").thread_id == other.thread_id
    assert len(index.list()) == 3


def test_a_status_that_nobody_knows_hides_no_thread(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    row = record(index, tmp_path)
    with closing(sqlite3.connect(paths.locate_database(home))) as connection, connection:
        connection.execute("UPDATE threads SET status = 'x'")
    assert [(item.thread_id, item.status) for item in index.list()] == [(row.thread_id, "unknown")]


def test_a_folder_without_threads_has_no_latest(index: ThreadIndex, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no threads in") as error_info:
        index.get_latest(tmp_path)
    assert "threads list --all" in error_info.value.hint


def test_run_ending_during_list_is_not_crashed(
    index: ThreadIndex, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, run, lock = record(index, tmp_path), ExitStack(), fcntl.flock
    run.enter_context(acquire_lease(home, row.thread_id))

    def end_before_the_look(descriptor: int, how: int) -> None:
        if how & fcntl.LOCK_SH:
            index.set_status(row.thread_id, "done")
            run.close()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", end_before_the_look)
    assert index.get(row.thread_id).status == "done"


async def test_two_concurrent_first_changes_of_foreign_thread_succeed(
    index: ThreadIndex, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin_elsewhere(home, "studio-thread")
    index.refresh()
    unpack = ormsgpack.unpackb

    def change_before_the_look(*value: object, **options: object) -> object:
        monkeypatch.setattr(ormsgpack, "unpackb", unpack)
        index.rename("studio-thread", "mine")
        return unpack(*value, **options)

    monkeypatch.setattr(ormsgpack, "unpackb", change_before_the_look)
    index.set_status("studio-thread", "failed")
    row = index.get("studio-thread")
    assert (row.name, row.status) == ("mine", "failed")


def test_running_status_needs_a_held_lease(index: ThreadIndex, home: Path, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    assert index.get(row.thread_id).status == "interrupted"
    with acquire_lease(home, row.thread_id):
        assert index.get(row.thread_id).status == "running"


@pytest.mark.parametrize(
    ("status", "is_held", "expected"),
    [
        ("running", True, "running"),
        ("queued", True, "running"),
        ("running", False, "interrupted"),
        ("queued", False, "queued"),
        ("waiting", False, "waiting"),
    ],
)
def test_running_thread_names_its_holder(
    index: ThreadIndex, home: Path, tmp_path: Path, status: Any, is_held: bool, expected: str
) -> None:
    row = record(index, tmp_path)
    index.set_status(row.thread_id, status)
    with acquire_lease(home, row.thread_id) if is_held else nullcontext():
        (row,) = index.list()
    address = f"{socket.gethostname()}:{os.getpid()}"
    assert (row.status, row.holder) == (expected, address if is_held else "")


@pytest.mark.parametrize("status", ["waiting", "done", "unverified", "failed", "limit", "undone"])
def test_a_status_stays_with_its_proof(
    status: ThreadStatus, index: ThreadIndex, tmp_path: Path
) -> None:
    row = record(index, tmp_path)
    proof = {"command": "pytest -q", "verdict": "passed", "reason": "3 passed"}
    index.set_status(row.thread_id, "waiting", evidence=proof)
    index.set_status(row.thread_id, status)
    result = index.get(row.thread_id)
    assert (result.status, result.evidence) == (status, proof)
    assert result.updated_at >= row.updated_at == result.created_at


@pytest.mark.parametrize("name", ["登录修复", "x", "it's; DROP TABLE threads; --", "n" * 60])
def test_a_thread_is_found_by_its_name(name: str, index: ThreadIndex, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    index.rename(row.thread_id, f" {name} ")
    assert index.find(name).thread_id == row.thread_id
    assert index.get(row.thread_id).name == name


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x1b[31mred", "n" * 61])
def test_a_bad_name_is_refused(name: str, index: ThreadIndex, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    with pytest.raises(UsageError, match="one line of printable characters"):
        index.rename(row.thread_id, name)


def test_a_name_belongs_to_one_thread(index: ThreadIndex, tmp_path: Path) -> None:
    first, second = record(index, tmp_path), record(index, tmp_path)
    index.rename(first.thread_id, "login")
    index.rename(first.thread_id, "login")
    with pytest.raises(UsageError, match="another thread is already named `login`"):
        index.rename(second.thread_id, "login")


FIRST, SECOND = "aaaa1111-0000-4000-8000-00000000000a", "bbbb2222-0000-4000-8000-00000000000b"


@pytest.mark.parametrize(
    ("text", "folder", "result"),
    [
        ("main", "a", FIRST),
        ("main", "b", SECOND),
        ("main", "c", "`main` is a thread of"),
        ("main", None, "`main` matches 2 threads"),
        ("only-a", "a", None),
        ("bbbb", "a", SECOND),
        (SECOND, "a", SECOND),
        ("other", "a", "no thread `other`"),
    ],
)
def test_name_belongs_to_its_folder(
    text: str, folder: str | None, result: str | None, index: ThreadIndex, tmp_path: Path
) -> None:
    for name, thread in (("a", FIRST), ("b", SECOND)):
        (tmp_path / name).mkdir()
        record(index, tmp_path / name, thread=thread)
        index.rename(thread, "main")
    index.rename(record(index, tmp_path / "a").thread_id, "only-a")
    location = None if folder is None else tmp_path / folder
    if result and " " in result:
        with pytest.raises(UsageError, match=result) as caught:
            index.find(text, location)
        assert folder != "c" or "bbbb2222" in caught.value.hint or "aaaa1111" in caught.value.hint
    else:
        row = index.find(text, location)
        assert row.thread_id == result if result else row.name == text


A, B = "aaaa1111-0000-4000-8000-000000000001", "aaaa2222-0000-4000-8000-000000000002"


@pytest.mark.parametrize(("text", "result"), [(A, A), (A[:5], A), (A[:8], A), (B[:-1], B)])
def test_find_thread_by_id_prefix(
    text: str, result: str, index: ThreadIndex, tmp_path: Path
) -> None:
    record(index, tmp_path, thread=A), record(index, tmp_path, thread=B)
    assert index.find(text).thread_id == result


def test_find_prefers_name_over_id_prefix(index: ThreadIndex, tmp_path: Path) -> None:
    record(index, tmp_path, thread=A), record(index, tmp_path, thread=B)
    index.rename(B, A[:6])
    assert index.find(A[:6]).thread_id == B


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("aaaa", "`aaaa` matches 2 threads", f"`{B[:8]}` (login), `{A[:8]}` (Repair)"),
        ("aaa", "no thread `aaa`", f"at least 4 characters of an ID, such as `{B[:8]}`, `{A[:8]}`"),
        ("", "the thread's ID or name is empty", "threads list --all"),
        ("logni", "no thread `logni`", "did you mean `login`?"),
        ("aaaa2223", "no thread `aaaa2223`", f"did you mean `{B[:8]}`?"),
        ("' OR 1=1 --", "no thread `' OR 1=1 --`", "threads list --all"),
        ("%", "no thread `%`", "threads list --all"),
    ],
)
def test_find_with_ambiguous_text_is_refused(
    text: str, message: str, hint: str, index: ThreadIndex, tmp_path: Path
) -> None:
    record(index, tmp_path, "Repair", A), record(index, tmp_path, "Other", B)
    index.rename(B, "login")
    with pytest.raises(UsageError) as error_info:
        index.find(text)
    assert error_info.value.message == message
    assert hint in error_info.value.hint
    assert error_info.value.exit_code == 2


async def test_a_thread_begun_elsewhere_is_on_the_list(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    waiting, ended = thread_id.create_thread_id(), thread_id.create_thread_id()
    asked = {
        "request": "Repair it\nplease",
        "folder": str(tmp_path),
        "options": {"mode": "auto", "apply": True, "odd": b"bytes"},
        "messages": ormsgpack.Ext(0, ormsgpack.packb(["os", "mkdir", str(tmp_path / "made")])),
    }
    await begin_elsewhere(home, waiting, waiting=True, values=asked)
    await begin_elsewhere(home, ended, values={"request": 7, "folder": None, "options": [1]})
    (row,) = index.list(tmp_path)
    assert (row.thread_id, row.title, row.status) == (waiting, "Repair it", "waiting")
    assert (row.request, row.options) == (asked["request"], {"mode": "auto", "apply": True})
    position = index.find(ended[:8])
    assert (position.graph, position.steps, position.status) == ("task", 4, "unknown")
    assert (position.title, position.folder, position.request, position.options) == ("", "", "", {})
    assert position.updated_at.startswith("2025-")
    assert not (tmp_path / "made").exists()


async def test_foreign_thread_used_here_gets_own_row(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    thread = thread_id.create_thread_id()
    asked = {"request": "Repair it", "folder": str(tmp_path), "options": {"mode": "auto"}}
    await begin_elsewhere(home, thread, waiting=True, values=asked)
    index.rename(thread, "mine")
    assert index.find("mine").status == "waiting"
    index.set_status(thread, "done", evidence={"verdict": "passed"})
    row = index.find("mine")
    assert (row.status, row.title, row.folder) == ("done", "Repair it", str(tmp_path))
    assert (row.options, row.evidence) == ({"mode": "auto"}, {"verdict": "passed"})
    with pytest.raises(UsageError, match="no thread"):
        index.set_status(thread_id.create_thread_id(), "done")


@pytest.mark.parametrize("waiting", [True, False])
async def test_thread_continued_elsewhere_has_updated_status(
    waiting: bool, index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    row = record(index, tmp_path)
    index.set_status(row.thread_id, "limit")
    await begin_elsewhere(home, row.thread_id)
    assert index.get(row.thread_id).status == "limit"  # that checkpoint is of 2025
    with closing(connect(paths.locate_database(home))) as connection:
        connection.execute("UPDATE threads SET updated_at = '2025-01-01T00:00:00+00:00'")
    await begin_elsewhere(home, row.thread_id, waiting=waiting, hour=1)
    result = index.get(row.thread_id)
    assert result.status == ("waiting" if waiting else "unknown")
    assert result.updated_at.startswith("2025-1")


async def test_the_steps_of_a_recorded_thread_are_counted(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    row = record(index, tmp_path)
    await begin_elsewhere(home, row.thread_id)
    assert (index.get(row.thread_id).steps, index.get(row.thread_id).title) == (4, row.title)


async def test_a_deleted_thread_leaves_nothing(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    missing, retained = record(index, tmp_path), record(index, tmp_path)
    outputs = paths.locate_outputs(home, missing.thread_id)
    outputs.mkdir(parents=True)
    (outputs / "c1.txt").write_text("long output")
    with closing(Journal(paths.locate_database(home))) as journal:
        for row in (missing, retained):
            await begin_elsewhere(home, row.thread_id, waiting=True)
            journal.begin_call(row.thread_id, "c1", "edit")
    index.delete(missing.thread_id)
    with closing(connect(paths.locate_database(home))) as connection:
        for table in ("threads", "journal", "checkpoints", "writes"):
            rows = connection.execute(f"SELECT thread_id FROM {table}").fetchall()
            assert rows == [(retained.thread_id,)], table
    assert not outputs.exists()
    assert not get_lock_path(home, missing.thread_id).exists()
    with pytest.raises(UsageError, match="no thread"):
        index.get(missing.thread_id)


def test_a_thread_that_runs_is_not_deleted(index: ThreadIndex, home: Path, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    with acquire_lease(home, row.thread_id), pytest.raises(ThreadBusyError):
        index.delete(row.thread_id)
    assert index.get(row.thread_id).title == row.title


async def test_a_forged_id_deletes_no_files(index: ThreadIndex, home: Path) -> None:
    await begin_elsewhere(home, "..")
    with pytest.raises(UsageError, match="is not a thread ID"):
        index.delete("..")
    assert paths.locate_database(home).exists()


def test_a_damaged_database_is_reported(home: Path) -> None:
    paths.locate_database(home).write_bytes(b"damaged")
    index = ThreadIndex(home)
    assert index.set_aside and index.set_aside.read_bytes() == b"damaged"
    assert index.list() == []


def test_damage_met_while_listing_is_explained(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    for n in range(60):
        record(index, tmp_path, f"{n}" * 200)
    path = paths.locate_database(home)
    good = path.read_bytes()
    path.write_bytes(good[:12288] + b"\xaa" * (len(good) - 12288))
    with pytest.raises(MaxAgentError, match="it was moved to"):
        index.list()
    assert ThreadIndex(home).list() == []


RECORD = """
import sys
from pathlib import Path
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex
index = ThreadIndex(Path(sys.argv[1]))
for n in range(20):
    row = index.record_thread(thread_id=thread_id.create_thread_id(), title=str(n), folder="/",
                              graph="task", request="", options={})
    index.set_status(row.thread_id, "done")
"""


def test_processes_may_write_the_list_at_once(home: Path) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", RECORD, str(home)], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    for child in children:
        assert child.communicate() == (None, b"")
    rows = ThreadIndex(home).list()
    assert [row.status for row in rows] == ["done"] * 60


def test_the_list_is_read_without_langgraph(home: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from maxagent.memory.threads.index import "
        "ThreadIndex;"
        " ThreadIndex(Path(sys.argv[1])).list(); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code, str(home)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    heavy = {"langgraph", "langchain_core", "openai", "mcp", "pydantic", "rich", "asyncio"}
    assert heavy & set(loaded) == set()


def test_recording_same_thread_twice_raises(index: ThreadIndex, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    with pytest.raises(UsageError, match="there is a thread"):
        record(index, tmp_path, thread=row.thread_id)


def test_threads_are_searched_in_every_language(index: ThreadIndex, tmp_path: Path) -> None:
    titles = ["Über die Straße", "ПРИВЕТ мир", "修复登录"]
    for title in titles:
        record(index, tmp_path, title)
    searched = {text: [row.title for row in index.search(text)] for text in titles}
    assert searched == {title: [title] for title in titles}
    assert [row.title for row in index.search("STRASSE über")] == titles[:1]
    assert [row.title for row in index.search("привет please")] == titles[1:2]
    assert len(index.search("please")) == len(index.search("")) == 3
    assert index.search("please", tmp_path / "other") == []


def test_title_replaces_first_line(index: ThreadIndex, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    index.set_title(row.thread_id, "A flaky test")
    assert index.get(row.thread_id) == replace(row, title="A flaky test", status="interrupted")
    index.rename(row.thread_id, "mine")
    index.set_title(row.thread_id, "Another")
    assert index.get(row.thread_id).title == "A flaky test"


async def test_imported_thread_is_complete_or_absent(
    index: ThreadIndex, home: Path, tmp_path: Path
) -> None:
    async with open_checkpointer(paths.locate_database(home)):
        pass
    point = CheckpointRow("1f0a9a6e-0001-6000-8000-000000000000", ormsgpack.packb({}), b"{}")
    row = replace(record(index, tmp_path), thread_id=thread_id.create_thread_id())
    with pytest.raises(UsageError, match="cannot import"):
        index.import_thread(row, TransferRows([point, point], [], []))
    assert len(index.list()) == 1
    index.import_thread(row, TransferRows([point], [], []))
    assert {item.thread_id for item in index.list()} >= {row.thread_id}
    with pytest.raises(UsageError, match="cannot import"):
        index.import_thread(row, TransferRows([], [], []))
