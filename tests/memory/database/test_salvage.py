"""Of a damaged database all is kept that can be read, and what is lost is said."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from old_threads import CHAT, WAITING, bring_old_threads

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.memory.checkpoints.steps import read_branches
from maxagent.memory.database.connection import connect, prepare_database, translate_sqlite_errors
from maxagent.memory.database.salvage import open_damaged, read_rows, salvage_rows
from maxagent.memory.threads.index import ThreadIndex

PAGE = 4096
TABLES = ("threads", "checkpoints", "writes")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = paths.locate_database(bring_old_threads(tmp_path))
    prepare_database(path)
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def damage(path: Path, page: int) -> None:
    content = bytearray(path.read_bytes())
    content[(page - 1) * PAGE : page * PAGE] = b"\xaa" * PAGE
    path.write_bytes(content)


def pages_of(path: Path, name: str, kind: str) -> list[int]:
    with closing(connect(path)) as connection:
        try:
            query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY pageno"
            return [page for (page,) in connection.execute(query, (name, kind))]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not tell which page is whose")


def read_all(path: Path) -> dict[str, int]:
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    return {table: len(result) for table, result in rows.items()}


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
def test_one_damaged_page_hides_no_thread(database: Path, table: str) -> None:
    before = read_all(database)
    for page in pages_of(database, table, "leaf"):
        content = database.read_bytes()
        damage(database, page)
        with pytest.raises(MaxAgentError, match="these threads lost data: `") as error_info:
            read_all(database)
        assert CHAT[:8] in str(error_info.value) or WAITING[:8] in str(error_info.value)
        after = read_all(database)
        assert sum(before.values()) - 40 < sum(after.values()) <= sum(before.values())
        assert {row.thread_id for row in ThreadIndex(database.parents[1]).list()} == {
            CHAT,
            WAITING,
        }
        database.write_bytes(content)


def test_a_damaged_index_costs_nothing(database: Path) -> None:
    before = read_all(database)
    for page in pages_of(database, "sqlite_autoindex_writes_1", "leaf"):
        damage(database, page)
    error_info = pytest.raises(MaxAgentError, match="no thread lost data")
    with error_info, translate_sqlite_errors(database), closing(connect(database)) as connection:
        connection.execute("SELECT COUNT(*) FROM writes WHERE thread_id = ?", (CHAT,)).fetchone()
        connection.execute("PRAGMA quick_check").fetchone()
        raise error_of_sqlite()
    assert read_all(database) == before


def error_of_sqlite() -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("database disk image is malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def test_the_conversation_goes_on_behind_a_lost_checkpoint(database: Path) -> None:
    with closing(connect(database)) as connection:
        steps = read_branches(connection, CHAT).steps
    missing = pages_of(database, "checkpoints", "leaf")[0]  # the beginning of the conversation
    damage(database, missing)
    with pytest.raises(MaxAgentError, match="lost data"):
        read_all(database)
    with closing(connect(database)) as connection:
        retained = read_branches(connection, CHAT).steps
    assert retained[-1].message == steps[-1].message


@pytest.mark.parametrize("content", [None, b"no database\n" * 400, b"\xaa" * PAGE])
def test_unreadable_source_has_unknown_losses(content: bytes | None, tmp_path: Path) -> None:
    damaged, fresh = tmp_path / "damaged.db", tmp_path / "threads.db"
    if content is not None:
        damaged.write_bytes(content)
    prepare_database(fresh)
    with closing(connect(fresh)) as connection:
        saved = salvage_rows(damaged, connection)
    assert saved.has_unknown_losses


def root_of(path: Path, table: str) -> int:
    with closing(connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return connection.execute(query, (table,)).fetchone()[0]


def count_rows(path: Path, table: str, gaps: list[int]) -> int:
    with closing(open_damaged(path)) as source:
        return len(list(read_rows(source, table, ["thread_id"], gaps)))


@pytest.mark.parametrize("table", ["checkpoints", "no_such_table"])
def test_rows_without_root_are_asked_for_once(database: Path, table: str) -> None:
    damage(database, root_of(database, "checkpoints"))
    gaps: list[int] = []
    assert (count_rows(database, table, gaps), gaps) == (0, [0])
    assert count_rows(database, "writes", []) > 0


def test_root_may_be_in_the_log(database: Path) -> None:
    rows = count_rows(database, "threads", [])
    with closing(connect(database)) as connection:  # open, it leaves the log as it is
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE threads SET title = 'new'")
        damage(database, root_of(database, "threads"))
        assert count_rows(database, "threads", []) == rows > 0


@pytest.mark.parametrize("zeros", [16, 100])
def test_a_broken_header_costs_nothing(database: Path, zeros: int) -> None:
    before = read_all(database)
    content = database.read_bytes()
    database.write_bytes(b"\0" * zeros + content[zeros:])
    assert prepare_database(database).set_aside
    assert read_all(database) == before


def test_a_missing_end_hides_no_thread(database: Path) -> None:
    content = database.read_bytes()
    database.write_bytes(content[: len(content) - 5 * PAGE - 100])
    assert prepare_database(database).set_aside
    assert {row.thread_id for row in ThreadIndex(database.parents[1]).list()} == {CHAT, WAITING}
    assert sum(read_all(database).values()) > 0
    assert not list(database.parent.glob("*.repaired"))


READ_ALL = """
import os, resource, signal, sys
from contextlib import closing
from pathlib import Path
from maxagent.config.errors import MaxAgentError
from maxagent.memory.database.connection import connect, translate_sqlite_errors

path, room, fatal = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
renames, rename = 0, Path.rename

def rename_or_die(self, target):
    global renames
    renames += 1
    if renames == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)

Path.rename = rename_or_die
if room:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
try:
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        connection.execute("SELECT * FROM checkpoints").fetchall()
except MaxAgentError as error:
    print(error, "|", error.hint)
"""


def read_elsewhere(
    path: Path, room: int = 0, fatal_rename: int = 0
) -> "subprocess.CompletedProcess[str]":
    """Read in a process for whose files there is so much room, or that dies before a renaming."""
    command = [sys.executable, "-c", READ_ALL, str(path), str(room), str(fatal_rename)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("room", [33_000, 60_000, 100_000])
def test_without_room_the_damaged_database_stays(database: Path, room: int) -> None:
    damage(database, pages_of(database, "checkpoints", "leaf")[0])
    content = database.read_bytes()
    ended = read_elsewhere(database, room)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "full" in ended.stdout and "lost data" not in ended.stdout
    assert database.read_bytes() == content
    assert [file for file in database.parent.iterdir() if "corrupt" in file.name] == []
    assert not database.with_name("threads.db.new").exists()

    assert "these threads lost data: `" in read_elsewhere(database).stdout
    assert {row.thread_id for row in ThreadIndex(database.parents[1]).list()} == {
        CHAT,
        WAITING,
    }


@pytest.mark.parametrize("fatal_rename", [1, 2, 3, 4, 5])
def test_a_kill_loses_nothing_that_was_saved(database: Path, fatal_rename: int) -> None:
    damage(database, pages_of(database, "checkpoints", "leaf")[0])
    ended = read_elsewhere(database, fatal_rename=fatal_rename)
    assert ended.returncode == -signal.SIGKILL
    was_moved = not database.exists()
    set_aside = prepare_database(database).set_aside
    assert (set_aside is not None) == was_moved

    if not was_moved:
        assert "these threads lost data: `" in read_elsewhere(database).stdout
    assert read_all(database)["checkpoints"] > 0
    assert {row.thread_id for row in ThreadIndex(database.parents[1]).list()} == {
        CHAT,
        WAITING,
    }
    assert not database.with_name("threads.db.salvaged").exists()
