"""Lists are read by the index, which is as right as the threads themselves."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from listed_threads import begin_elsewhere, record

from maxagent.config import paths
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.index_rows import ListFilter, read_page, update_index
from maxagent.memory.threads.thread_id import create_thread_id


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def index(home: Path) -> ThreadIndex:
    return ThreadIndex(home)


def drop_index(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS thread_index")
    for name in ("mark_row_insert", "mark_row_update", "mark_row_delete", "mark_rewrite"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    for name in ("mark_put", "mark_change", "mark_loss", "mark_write"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")


async def fill(index: ThreadIndex, home: Path, tmp_path: Path) -> list[str]:
    """Some threads, two of them of Studio; return them, the last used first."""
    ids = [create_thread_id() for _ in range(2)]
    for hour, thread in enumerate(ids):
        await begin_elsewhere(home, thread, waiting=hour == 1, hour=hour)
    for folder in ("a", "b", "a"):
        ids.append(record(index, tmp_path / folder).thread_id)
    index.set_status(ids[2], "done")
    return [ids[each] for each in (2, 4, 3, 1, 0)]


async def test_a_page_is_the_beginning(index: ThreadIndex, home: Path, tmp_path: Path) -> None:
    ids = await fill(index, home, tmp_path)
    assert [row.thread_id for row in index.list()] == ids
    for limit in (*range(6), 2**31, 2**63 - 1, 2**63, 2**64, 10**25):
        assert [row.thread_id for row in index.list(limit=limit)] == ids[:limit]
    assert (index.count(), index.count(tmp_path / "a")) == (5, 2)
    assert index.list_folders() == [str(tmp_path / "a"), str(tmp_path / "b")]


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ({"graph": "chat"}, []),
        ({"graph": "task"}, [0, 1, 2, 3, 4]),
        ({"status": "done"}, [0]),
        ({"status": "interrupted"}, [1, 2]),
        ({"status": "running"}, []),
        ({"status": "waiting"}, [3]),
        ({"before": "2026-01-01"}, [3, 4]),
        ({"ids": ["nobody"]}, []),
        ({"status": "interrupted", "limit": 1}, [1]),
    ],
)
async def test_a_list_is_filtered(
    index: ThreadIndex, home: Path, tmp_path: Path, wish: dict, expected: list[int]
) -> None:
    ids = await fill(index, home, tmp_path)
    places = [ids.index(row.thread_id) for row in index.list(**wish)]
    assert places == expected


async def test_an_older_home_gets_its_index(index: ThreadIndex, home: Path, tmp_path: Path) -> None:
    await fill(index, home, tmp_path)
    before = index.list()
    with closing(connect(paths.locate_database(home))) as connection:
        drop_index(connection)
    assert index.list() == before


def keep_pages_small(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        drop_index(connection)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = WAL")


def forbid_writing(path: Path) -> None:
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.parent.chmod(0o500)


@pytest.mark.parametrize("limit_database", [keep_pages_small, forbid_writing])
async def test_a_database_without_room_is_listed(
    index: ThreadIndex,
    home: Path,
    tmp_path: Path,
    limit_database: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids, path = await fill(index, home, tmp_path), paths.locate_database(home)
    limit_database(path)
    if limit_database is forbid_writing:  # root may write everywhere
        monkeypatch.setattr("maxagent.memory.database.connection.can_write", lambda path: False)
    try:
        with closing(connect(path)) as connection:
            update_index(connection)
            assert list(read_page(connection, ListFilter())) == ids
            assert list(read_page(connection, ListFilter(), 2)) == ids[:2]
    finally:
        path.parent.chmod(0o700)
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE name = 'thread_index'")
        assert tables.fetchall() == []


KILLED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE threads SET status = 'done', updated_at = '2099'")
if sys.argv[2] == "commits":
    connection.execute("COMMIT")
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("end", "status"), [("commits", "done"), ("dies", "interrupted")])
def test_it_is_right_after_a_kill(
    index: ThreadIndex, home: Path, tmp_path: Path, end: str, status: str
) -> None:
    record(index, tmp_path)
    assert [row.status for row in index.list()] == ["interrupted"]
    command = [sys.executable, "-c", KILLED, str(paths.locate_database(home)), end]
    assert subprocess.run(command, check=False, env=os.environ).returncode == -9
    assert [row.status for row in index.list()] == [status]
    assert len(index.list(status="done")) == (end == "commits")


def leave_as_it_is(path: Path) -> None:
    pass


def drop_whole_index(path: Path) -> None:
    with closing(connect(path)) as connection:
        drop_index(connection)


@pytest.mark.parametrize("prepare", [leave_as_it_is, drop_whole_index, keep_pages_small])
@pytest.mark.parametrize("is_marked", [True, False])
async def test_a_list_does_not_wait_for_writers(
    index: ThreadIndex,
    home: Path,
    tmp_path: Path,
    prepare: Callable[[Path], None],
    is_marked: bool,
) -> None:
    ids, path = await fill(index, home, tmp_path), paths.locate_database(home)
    expected = index.list()
    prepare(path)
    if is_marked:
        index.set_status(ids[2], "failed")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE threads SET status = 'done'")
        rows = index.list()
        assert {row.thread_id for row in rows} == {row.thread_id for row in expected}
        assert index.get(ids[2]).status == ("failed" if is_marked else "interrupted")
        assert [row.thread_id for row in index.list(limit=2)] == [row.thread_id for row in rows[:2]]
        writer.execute("ROLLBACK")
