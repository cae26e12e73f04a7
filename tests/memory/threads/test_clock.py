"""Threads after a clock was set back: the database already knows later times."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.clock import read_next_time
from maxagent.memory.threads.index import ThreadIndex, ThreadRow
from maxagent.memory.threads.thread_id import create_thread_id
from maxagent.memory.threads.transfer_rows import TransferRows
from maxagent.sdk.threads.pruning import find_unused

AHEAD = "2093-05-04T03:02:01.000009+00:00"
# A checkpoint of the same moment, and one of another program
AHEAD_ID, FOREIGN_ID = "23c65940-c095-6ad0-8000-000000000000", "zzzz"


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
