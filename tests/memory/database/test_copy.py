"""The copy of all threads to another database."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.database.copy import copy_database


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
