import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sent_children import run_thread

from maxagent.memory.checkpoints.messages import read_searchable_texts
from maxagent.memory.checkpoints.tables import read_last_id, read_sizes
from maxagent.memory.checkpoints.writes import read_channel_writes
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.children import read_child_calls, read_children
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow
from maxagent.memory.threads.sub_runs import SubRun, SubRuns

A, B = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "ab")


@pytest.fixture
def index(tmp_path: Path) -> ThreadIndex:
    index = ThreadIndex(tmp_path)
    index.record_thread(
        thread_id=A, title="look", folder="/p", graph="chat", request="look", options={}
    )
    return index


@pytest.fixture
def connection(index: ThreadIndex, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path / "data" / "threads.db")) as connection:
        yield connection


def read_texts(connection: sqlite3.Connection, thread: str, child: SubRun) -> list[str]:
    writes = read_channel_writes(connection, thread, child.namespace)
    return [write.value["content"] for write in writes if write.channel == "messages"]


def make_fork(index: ThreadIndex, connection: sqlite3.Connection) -> ThreadRow:
    fork = replace(index.get(A), thread_id=B, parent=A, name="")
    index.fork(fork, read_last_id(connection, A), 0)
    return fork


EXPLORED = ["the task of explore", "explore reads", "found", "explore has seen it"]


async def test_children_have_conversations_of_their_own(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    await run_thread(tmp_path, A)
    explore, shell = read_children(connection, A)
    assert (explore.sub_id, shell.sub_id, shell.status) == ("explore-1", "shell-1", "done")
    assert read_texts(connection, A, explore) == EXPLORED
    calls = {call: child.sub_id for call, child in read_child_calls(connection, A).items()}
    assert calls == {"call-1-1-explore": "explore-1", "call-1-1-shell": "shell-1"}


async def test_search_finds_words_of_children(
    connection: sqlite3.Connection, tmp_path: Path, index: ThreadIndex
) -> None:
    await run_thread(tmp_path, A)
    texts = read_searchable_texts(connection)[A]
    assert "shell has seen it" in texts and "explore it" in texts
    assert [row.thread_id for row in index.search("shell has seen")] == [A]


async def test_fork_copies_ended_children_only(
    connection: sqlite3.Connection, tmp_path: Path, index: ThreadIndex
) -> None:
    await run_thread(tmp_path, A, answers=1)
    assert [child.status for child in read_children(connection, A)] == ["done", "waiting"]
    make_fork(index, connection)
    [copied] = read_children(connection, B)
    assert (copied.sub_id, copied.thread_id, copied.status) == ("explore-1", B, "done")
    assert read_texts(connection, B, copied) == EXPLORED
    index.delete(A)
    assert read_texts(connection, B, copied) == EXPLORED
    assert SubRuns(tmp_path / "data" / "threads.db").list_sub_runs(A) == []
    assert set(read_sizes(connection)) == {B}


async def test_fork_before_a_call_has_no_child(
    connection: sqlite3.Connection, tmp_path: Path, index: ThreadIndex
) -> None:
    await run_thread(tmp_path, A)
    first = connection.execute(
        "SELECT MIN(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''",
        (A,),
    ).fetchone()[0]
    index.fork(replace(index.get(A), thread_id=B, parent=A, name=""), first, 0)
    assert read_children(connection, B) == []


async def test_prune_keeps_reports_of_children(
    connection: sqlite3.Connection, tmp_path: Path, index: ThreadIndex
) -> None:
    await run_thread(tmp_path, A)
    before, explore = read_sizes(connection)[A], read_children(connection, A)[0]
    index.compact(A)
    assert read_sizes(connection)[A] < before
    assert read_texts(connection, A, explore) == EXPLORED
    index.compact(A)
    assert read_children(connection, A)[0] == explore


async def test_open_child_goes_on_after_prune(
    connection: sqlite3.Connection, tmp_path: Path, index: ThreadIndex
) -> None:
    await run_thread(tmp_path, A, answers=1)
    index.compact(A)
    await run_thread(tmp_path, A)
    explore, shell = read_children(connection, A)
    assert [explore.status, shell.status] == ["done", "done"]
    assert read_texts(connection, A, explore) == EXPLORED


async def test_abandoned_children_go_with_their_branch(
    connection: sqlite3.Connection, tmp_path: Path, index: ThreadIndex
) -> None:
    await run_thread(tmp_path, A)
    [explore, _] = read_children(connection, A)
    rewind_to_start(connection)
    assert read_children(connection, A) == []
    assert len(SubRuns(tmp_path / "data" / "threads.db").list_sub_runs(A)) == 2
    index.compact(A)
    assert SubRuns(tmp_path / "data" / "threads.db").list_sub_runs(A) == []
    assert read_texts(connection, A, explore) == []


def rewind_to_start(connection: sqlite3.Connection) -> None:
    """Add a copy of the first checkpoint as the last one, as a rewind does."""
    connection.execute(
        "INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, 'ffffffff', NULL, type,"
        " checkpoint, metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
        " ORDER BY checkpoint_id LIMIT 1",
        (A,),
    )
