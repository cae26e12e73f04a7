import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect
from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.index_rows import read_next_time
from maxagent.memory.threads.record import ThreadRow
from maxagent.memory.threads.rows import copy_history, delete_thread, insert_thread, read_threads
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.memory.threads.thread_id import create_thread_id
from maxagent.memory.threads.transfer_rows import TransferRows
from maxagent.memory.undo.history import FileHistory
from maxagent.sdk.threads.pruning import find_unused

AHEAD = "2093-05-04T03:02:01.000009+00:00"
# A checkpoint of the same moment, and one of another program
AHEAD_ID, FOREIGN_ID = "23c65940-c095-6ad0-8000-000000000000", "zzzz"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    ThreadIndex(tmp_path)
    with closing(connect(tmp_path / "data" / "threads.db")) as connection:
        yield connection


def make_row(thread_id: str, name: str = "") -> ThreadRow:
    at = "2026-01-01T00:00:00+00:00"
    return ThreadRow(thread_id, "title", "/p", "chat", "request", "idle", at, at, name, {})


def test_inserted_threads_are_read_and_deleted(connection: sqlite3.Connection) -> None:
    for thread in "abc":
        insert_thread(connection, make_row(thread))
    assert read_threads(connection)["b"] == make_row("b")
    assert read_threads(connection, {"a", "z"}).keys() == {"a"}
    delete_thread(connection, "b")
    assert read_threads(connection).keys() == {"a", "c"}


def test_deleted_thread_takes_its_sub_agents(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    sub_runs = SubRuns(tmp_path / "data" / "threads.db")
    for thread in "ab":
        sub_runs.begin(thread, "c1", 0, namespace="subagent:x", agent="explore", title="look")
    delete_thread(connection, "a")
    assert sub_runs.list_sub_runs("a") == []
    assert [row.sub_id for row in sub_runs.list_sub_runs("b")] == ["explore-1"]


def test_insert_with_taken_name_raises(connection: sqlite3.Connection) -> None:
    insert_thread(connection, make_row("a", "mine"))
    with pytest.raises(sqlite3.IntegrityError):
        insert_thread(connection, make_row("b", "mine"))


def test_file_history_is_copied_up_to_entry(connection: sqlite3.Connection, tmp_path: Path) -> None:
    history = FileHistory(tmp_path / "data" / "threads.db")
    change = PathChange("a.txt", ABSENT, FileVersion("100644", "1" * 40))
    for key in "xyz":
        history.record_entry("t", key, "others", before="b", after="a", turn=1, changes=[change])
    copy_history(connection, "t", 2, "fork")
    copied = history.list_entries("fork")
    assert copied == history.list_entries("t")[:2]
    history.record_entry("fork", "own", "others", before="b", after="a", turn=1, changes=[change])
    assert [entry.number for entry in history.list_entries("fork")] == [1, 2, 3]
    assert len(history.list_entries("t")) == 3


@pytest.fixture
async def index(tmp_path: Path) -> ThreadIndex:
    index = ThreadIndex(tmp_path / "home")
    async with open_checkpointer(paths.locate_database(tmp_path / "home")):
        return index


def record(index: ThreadIndex, folder: Path, name: str = "") -> ThreadRow:
    return index.record_thread(
        thread_id=create_thread_id(),
        title="t",
        folder=str(folder.resolve()),
        graph="chat",
        request="t",
        options={},
        name=name,
    )


def open_database(tmp_path: Path) -> sqlite3.Connection:
    return connect(paths.locate_database(tmp_path / "home"))


def add_checkpoint(tmp_path: Path, thread: str, checkpoint: str) -> None:
    with closing(open_database(tmp_path)) as connection:
        connection.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint, metadata)"
            " VALUES (?, ?, ?, ?)",
            (thread, checkpoint, b"\x81\xaechannel_values\x80", b"{}"),
        )


def set_ahead(tmp_path: Path, thread: str) -> None:
    with closing(open_database(tmp_path)) as connection:
        update = "UPDATE threads SET updated_at = ? WHERE thread_id = ?"
        connection.execute(update, (AHEAD, thread))


def use_status(index: ThreadIndex, row: ThreadRow) -> str:
    index.set_status(row.thread_id, "idle")
    return row.thread_id


def use_evidence(index: ThreadIndex, row: ThreadRow) -> str:
    index.set_status(row.thread_id, "done", evidence={"checks": []})
    return row.thread_id


def use_new(index: ThreadIndex, row: ThreadRow) -> str:
    return record(index, Path(row.folder)).thread_id


def use_fork(index: ThreadIndex, row: ThreadRow) -> str:
    fork = replace(row, thread_id=create_thread_id(), parent=row.thread_id)
    index.fork(fork, "", 0)
    return fork.thread_id


def use_import(index: ThreadIndex, row: ThreadRow) -> str:
    imported = replace(row, thread_id=create_thread_id())
    index.import_thread(imported, TransferRows((), (), ()))
    return imported.thread_id


USES = [use_status, use_evidence, use_new, use_fork, use_import]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("is_checkpoint", [False, True])
def test_last_used_is_first_after_clock_back(
    index: ThreadIndex,
    tmp_path: Path,
    use: Callable[[ThreadIndex, ThreadRow], str],
    is_checkpoint: bool,
) -> None:
    row, other = record(index, tmp_path), record(index, tmp_path)
    if is_checkpoint:
        add_checkpoint(tmp_path, other.thread_id, AHEAD_ID)
    else:
        set_ahead(tmp_path, other.thread_id)
    used = use(index, row)
    assert index.get_latest(tmp_path).thread_id == used
    again = use(index, row)
    assert index.get_latest(tmp_path).thread_id == again
    assert find_unused([index.get(again)], 30) == []


def test_status_counts_after_clock_back(index: ThreadIndex, tmp_path: Path) -> None:
    row = record(index, tmp_path)
    add_checkpoint(tmp_path, row.thread_id, AHEAD_ID)
    index.set_status(row.thread_id, "done")
    assert index.get(row.thread_id).status == "done"


@pytest.mark.parametrize("stored", ["", "tomorrow", "9999-12-31T23:59:59.999999+00:00", "~", "0"])
def test_times_of_other_programs_stop_nothing(
    index: ThreadIndex, tmp_path: Path, stored: str
) -> None:
    row = record(index, tmp_path)
    add_checkpoint(tmp_path, row.thread_id, FOREIGN_ID)
    with closing(open_database(tmp_path)) as connection:
        connection.execute("UPDATE threads SET updated_at = ?", (stored,))
        assert read_next_time(connection)
    index.set_status(row.thread_id, "done")
    assert index.get(row.thread_id).status == "done"
