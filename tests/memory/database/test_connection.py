import os
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.database.connection import (
    DatabaseSetup,
    connect,
    prepare_database,
    translate_sqlite_errors,
)
from maxagent.memory.database.migrations import MIGRATIONS
from maxagent.memory.database.recovery import set_aside
from maxagent.memory.transaction import begin_transaction


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "threads.db"


@pytest.fixture
def filled(path: Path) -> Path:
    """A database of a few hundred pages."""
    prepare_database(path)
    with closing(connect(path)) as connection, begin_transaction(connection):
        rows = [(f"t{n}", n, "x" * 2000) for n in range(200)]
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT, n INTEGER, value TEXT)")
        connection.executemany("INSERT INTO checkpoints VALUES (?, ?, ?)", rows)
    return path


def count(path: Path, table: str) -> int:
    with closing(connect(path)) as connection:
        return connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]


def set_version(path: Path, version: int) -> None:
    with closing(connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def test_a_new_database_is_private_and_synced(path: Path) -> None:
    assert prepare_database(path) == DatabaseSetup(set_aside=None)
    with closing(connect(path)) as connection:
        pragmas = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        output = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
        modes = [oct(part.stat().st_mode & 0o777) for part in sorted(path.parent.iterdir())]
    assert output == ["wal", 2, 30000, 1]
    assert oct(path.parent.stat().st_mode & 0o777) == "0o700"
    assert set(modes) == {"0o600"}
    assert (count(path, "threads"), count(path, "journal")) == (0, 0)


def test_preparing_again_changes_nothing(filled: Path) -> None:
    before = filled.read_bytes()
    assert prepare_database(filled) == DatabaseSetup(set_aside=None)
    assert filled.read_bytes() == before


def test_database_used_only_by_langgraph_keeps_rows(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
        connection.execute("INSERT INTO checkpoints VALUES ('t')")
        connection.commit()
    assert prepare_database(path).set_aside is None
    assert (count(path, "checkpoints"), count(path, "threads")) == (1, 0)


def cut(length: int) -> Callable[[bytes], bytes]:
    return lambda good: good[:length]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda good: b"", id="empty"),
        pytest.param(cut(1), id="one byte"),
        pytest.param(cut(60), id="half a header"),
        pytest.param(cut(100), id="a header alone"),
        pytest.param(cut(512), id="an eighth of a page"),
        pytest.param(cut(4096), id="one page"),
        pytest.param(lambda good: good[: len(good) // 2], id="half"),
        pytest.param(lambda good: good[:-8192], id="all but the last page"),
        pytest.param(lambda good: bytes(len(good)), id="zeros"),
        pytest.param(lambda good: bytes(4096) + good[4096:], id="zeros in the first page"),
        pytest.param(lambda good: good[:100] + bytes(3996) + good[4096:], id="no schema"),
        pytest.param(lambda good: b"\xff" * 16 + good[16:], id="another magic"),
        pytest.param(lambda good: good[:16] + b"\x00\x07" + good[18:], id="a mad page size"),
        pytest.param(lambda good: b"not a database, but a letter\n" * 300, id="text"),
        pytest.param(lambda good: bytes(range(256)) * 64, id="noise"),
    ],
)
def test_damaged_database_is_set_aside_new_one_created(
    damage: Callable[[bytes], bytes], filled: Path
) -> None:
    damaged = damage(filled.read_bytes())
    filled.write_bytes(damaged)
    moved = prepare_database(filled).set_aside
    assert moved is not None
    assert moved.name.startswith("threads.db.corrupt-2")
    assert moved.read_bytes() == damaged
    assert count(filled, "threads") == 0
    assert prepare_database(filled) == DatabaseSetup(set_aside=None)


def test_wal_of_damaged_database_is_moved_too(filled: Path) -> None:
    filled.write_bytes(b"damaged")
    filled.with_name("threads.db-wal").write_bytes(b"log")
    first = prepare_database(filled).set_aside
    filled.write_bytes(b"damaged again")
    second = prepare_database(filled).set_aside
    assert first and second and first != second
    assert first.with_name(f"{first.name}-wal").read_bytes() == b"log"


def test_wal_without_database_is_not_reused(filled: Path) -> None:
    with closing(connect(filled)) as connection:
        connection.execute("UPDATE checkpoints SET n = n + 1")
        log = filled.with_name("threads.db-wal").read_bytes()
    filled.unlink()
    filled.with_name("threads.db-wal").write_bytes(log)
    assert prepare_database(filled).set_aside
    assert count(filled, "threads") == 0


def test_inner_damage_is_reported_when_read(filled: Path) -> None:
    good = filled.read_bytes()
    filled.write_bytes(good[:16384] + b"\xaa" * 200_000 + good[216_384:])
    assert prepare_database(filled).set_aside is None
    error_info = pytest.raises(MaxAgentError, match="was damaged; it was moved to")
    with error_info as message, translate_sqlite_errors(filled):
        count(filled, "checkpoints WHERE value LIKE '%y%'")
    assert "run the command again" in message.value.hint
    assert prepare_database(filled) == DatabaseSetup(set_aside=None)
    assert count(filled, "threads") == 0


def test_database_recreated_by_another_process_is_kept(filled: Path) -> None:
    with (
        pytest.raises(MaxAgentError, match="cannot read") as error_info,
        translate_sqlite_errors(filled),
    ):
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    assert error_info.value.hint == "try again"
    assert count(filled, "checkpoints") == 200


def test_a_newer_database_is_refused_and_not_touched(filled: Path) -> None:
    set_version(filled, len(MIGRATIONS) + 1)
    before = filled.read_bytes(), sorted(filled.parent.iterdir())
    with pytest.raises(
        UsageError, match="a newer MaxAgent wrote the list of threads"
    ) as error_info:
        prepare_database(filled)
    assert (error_info.value.exit_code, "MAXAGENT_HOME" in error_info.value.hint) == (2, True)
    assert (filled.read_bytes(), sorted(filled.parent.iterdir())) == before


def test_newer_database_with_header_in_wal_is_refused(filled: Path) -> None:
    with closing(connect(filled)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 5}")
        assert filled.read_bytes()[60:64] == struct.pack(">I", len(MIGRATIONS))
        with pytest.raises(UsageError, match="newer MaxAgent"):
            prepare_database(filled)


def test_a_full_disk_is_reported_with_a_remedy(filled: Path) -> None:
    with closing(connect(filled)) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        full = pytest.raises(MaxAgentError, match="the disk is full")
        with full as message, translate_sqlite_errors(filled), begin_transaction(connection):
            connection.execute("INSERT INTO checkpoints VALUES ('t', 1, zeroblob(100000))")
        assert not connection.in_transaction
    assert "free some space" in message.value.hint
    assert count(filled, "checkpoints") == 200


TINY_DISK = """
import resource, sys
from pathlib import Path
from maxagent.config.errors import MaxAgentError
from maxagent.memory.database.connection import prepare_database
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    prepare_database(Path(sys.argv[1]))
except MaxAgentError as error:
    print(error, "|", error.hint)
"""


@pytest.mark.parametrize("room", [0, 100, 5000, 20_000])
def test_full_disk_at_start_leaves_nothing_partial(room: int, path: Path) -> None:
    command = [sys.executable, "-c", TINY_DISK, str(path), str(room)]
    stdout = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "full" in stdout and "try again" in stdout
    assert not path.exists()
    assert prepare_database(path) == DatabaseSetup(set_aside=None)
    assert count(path, "threads") == 0


def test_a_locked_database_is_reported_with_a_remedy(filled: Path) -> None:
    with closing(connect(filled)) as holder, closing(connect(filled)) as other:
        other.execute("PRAGMA busy_timeout = 0")
        locked = pytest.raises(MaxAgentError, match="another process keeps it locked")
        with begin_transaction(holder), locked, translate_sqlite_errors(filled):
            other.execute("BEGIN IMMEDIATE")


def test_programming_error_is_not_translated(filled: Path) -> None:
    with (
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        translate_sqlite_errors(filled),
    ):
        count(filled, "absent")


def test_uncreatable_folder_is_reported_with_hint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MaxAgentError, match="cannot keep threads in") as error_info:
        prepare_database(tmp_path / "file" / "data" / "threads.db")
    assert "MAXAGENT_HOME" in error_info.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_foreign_folder_is_reported_with_hint(filled: Path) -> None:
    for folder in (filled.parent, *filled.parent.parents):
        if folder.stat().st_mode & 0o005 == 0:
            folder.chmod(folder.stat().st_mode | 0o005)
    filled.chmod(0o644)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        try:
            prepare_database(filled)
        except MaxAgentError as error:
            os.write(write, f"{error} | {error.hint}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with open(read) as output:
        content = output.read()
    assert content.startswith("cannot ") and "MAXAGENT_HOME" in content


def test_a_transaction_is_all_or_nothing(filled: Path) -> None:
    with closing(connect(filled)) as connection:
        with pytest.raises(KeyError), begin_transaction(connection):
            connection.execute("DELETE FROM checkpoints")
            raise KeyError
        assert not connection.in_transaction
    assert count(filled, "checkpoints") == 200


PREPARE = """
import sys
from pathlib import Path
from maxagent.memory.database.connection import prepare_database
print(prepare_database(Path(sys.argv[1])).set_aside or "")
"""


@pytest.mark.parametrize("damaged", [False, True])
def test_processes_that_start_together_begin_one_database(damaged: bool, path: Path) -> None:
    path.parent.mkdir()
    if damaged:
        path.write_bytes(b"damaged")

    def start(_: int) -> str:
        command = [sys.executable, "-c", PREPARE, str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    with ThreadPoolExecutor(6) as pool:
        moved = [number for number in pool.map(start, range(6)) if number]
    assert len(moved) == damaged
    assert count(path, "threads") == 0
    assert len(list(path.parent.glob("*corrupt*"))) == damaged


def test_a_live_database_can_be_set_aside(filled: Path) -> None:
    with closing(connect(filled)) as connection:
        connection.execute("INSERT INTO checkpoints VALUES ('t', 1, 'new')")
        moved = set_aside(filled)
    assert (count(moved, "checkpoints"), filled.exists()) == (201, False)


LOOK = (
    "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM threads').fetchall()"
)


def test_preparing_again_leaves_open_connections_their_locks(filled: Path) -> None:
    """Or else another process takes itself for the last one, and takes the log away from us."""
    with closing(connect(filled)) as connection:
        connection.execute("UPDATE checkpoints SET n = n + 1")
        prepare_database(filled)
        subprocess.run([sys.executable, "-c", LOOK, str(filled)], check=True)
        assert filled.with_name("threads.db-wal").exists()
        connection.execute("DELETE FROM checkpoints")
    assert count(filled, "checkpoints") == 0
