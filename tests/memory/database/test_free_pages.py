"""Free pages go back to the disk, without the database in memory."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.memory.database.connection import connect, prepare_database
from maxagent.memory.database.free_pages import release_pages

MEGABYTE = 1_000_000
MEASURE = """
import resource, sys
from pathlib import Path
from maxagent.memory.database.free_pages import release_pages
def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = most()
release_pages(Path(sys.argv[1]))
print(most() - before)
"""


def filled(path: Path, megabytes: int, *, old: bool) -> Path:
    if old:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE first (n)")
    else:
        prepare_database(path)
    with closing(connect(path)) as connection:
        connection.execute("CREATE TABLE filler (data)")
        for _ in range(2 * megabytes):
            connection.execute("INSERT INTO filler VALUES (randomblob(?))", (MEGABYTE // 2,))
        connection.execute("DELETE FROM filler WHERE rowid % 2")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.mark.parametrize("old", [True, False])
def test_the_file_shrinks_and_keeps_its_rows(tmp_path: Path, old: bool) -> None:
    path = filled(tmp_path / "threads.db", 8, old=old)
    release_pages(path)
    assert path.stat().st_size < 4.5 * MEGABYTE
    with closing(connect(path)) as connection:
        connection.execute("DELETE FROM filler")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    release_pages(path)
    assert path.stat().st_size < MEGABYTE


@pytest.mark.parametrize("old", [True, False])
def test_it_takes_no_memory_for_the_size(tmp_path: Path, old: bool) -> None:
    path = filled(tmp_path / "threads.db", 40, old=old)
    command = [sys.executable, "-c", MEASURE, str(path)]
    grown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    kibibytes = int(grown) if sys.platform != "darwin" else int(grown) // 1024
    assert kibibytes < 15_000
