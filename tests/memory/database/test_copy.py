"""The copy of all threads to another database."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.database.connection import prepare_file
from maxagent.memory.database.copy import copy_database, read_facts


def write_nothing(path: Path) -> None:
    """A path that was mistyped."""


def write_text(path: Path) -> None:
    path.write_text("words " * 1000)


def write_other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (id)")


@pytest.mark.parametrize(
    "write", [write_nothing, Path.touch, Path.mkdir, write_text, write_other_database]
)
def test_a_source_without_threads_stops(write: Callable[[Path], None], tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    write(source)
    before = source.exists()
    with pytest.raises(MaxAgentError) as raised:
        copy_database(str(source), str(target))
    assert raised.value.hint
    assert (source.exists(), target.exists()) == (before, False)


@pytest.mark.parametrize("address", ["postgre://u:secret@h/x", "mysql://h/x", "sqlite:///x.db"])
def test_other_schemes_are_no_paths(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for names in ((address, "target.db"), ("source.db", address)):
        with pytest.raises(UsageError) as raised:
            copy_database(*names)
        assert raised.value.hint and "secret" not in str(raised.value)
    assert [*tmp_path.iterdir()] == []


ROW = "INSERT INTO threads VALUES (?, '', '', '', '', '', '{}', 'idle', 'null', '', '', '', 0)"


def write_threads(path: Path, count: int = 1, then: str = "SELECT 1") -> None:
    prepare_file(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(ROW, [(f"thread-{number}",) for number in range(count)])
        connection.commit()
        connection.execute(then)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def write_newer(path: Path) -> None:
    write_threads(path, then="PRAGMA user_version = 99")


def write_cut(path: Path) -> None:
    write_threads(path, 2_000)
    os.truncate(path, path.stat().st_size // 2)


def write_scratched(path: Path) -> None:
    write_threads(path, 2_000)
    with path.open("r+b") as file:
        file.seek(3 * 8192)
        file.write(b"\xa5" * 6 * 8192)


def read_content(path: Path) -> bytes:
    """Return a file without SQLite's header, which says how it was opened last."""
    return path.read_bytes()[100:] if path.is_file() else b""


TARGETS = [write_text, write_other_database, write_newer, write_cut, Path.mkdir]


@pytest.mark.parametrize("write", TARGETS)
def test_a_target_of_another_kind_stays(write: Callable[[Path], None], tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "target"
    write_threads(source)
    write(target)
    before = read_content(target)
    with pytest.raises(MaxAgentError) as raised:
        copy_database(str(source), str(target))
    assert raised.value.hint
    assert read_content(target) == before


@pytest.mark.parametrize("name", ["a?b.db", "a#b.db", "a%41.db", "数据 库.db", "-x.db"])
def test_any_name_of_a_file_is_taken(name: str, tmp_path: Path) -> None:
    write_threads(tmp_path / name, 3)
    counts = copy_database(str(tmp_path / name), str(tmp_path / f"new-{name}"))
    assert counts["threads"] == read_facts(str(tmp_path / f"new-{name}")).threads == 3


@pytest.mark.parametrize("write", [write_newer, write_cut, write_scratched])
def test_an_unreadable_source_is_said(write: Callable[[Path], None], tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    write(source)
    with pytest.raises(MaxAgentError) as raised:
        copy_database(str(source), str(tmp_path / "target.db"))
    assert raised.value.hint and source.exists()


@pytest.mark.parametrize("source", ["x" * 300, "x\0y", "没有" * 200, "no/such/file", ""])
def test_a_name_of_no_file_stops(source: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no database of threads"):
        copy_database(source, str(tmp_path / "target.db"))


def test_a_damaged_database_is_saved_by_status(tmp_path: Path) -> None:
    write_scratched(tmp_path / "threads.db")
    with pytest.raises(MaxAgentError, match="was damaged"):
        read_facts(str(tmp_path / "threads.db"))
