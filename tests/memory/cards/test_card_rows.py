"""Writes of the store's file: all of one or nothing, whatever fails."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.memory.cards.card_rows import CardRows


def open_parts(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("CREATE TABLE whole (id INTEGER PRIMARY KEY)")
    connection.execute("CREATE TABLE part (id REFERENCES whole (id) DEFERRABLE INITIALLY DEFERRED)")
    return connection


def test_failed_commit_leaves_no_transaction(tmp_path: Path) -> None:
    with closing(open_parts(tmp_path / "store.db")) as connection:
        rows = CardRows(connection)
        # the missing row is found only by COMMIT
        with pytest.raises(sqlite3.IntegrityError), rows.transaction():
            connection.execute("INSERT INTO part VALUES (1)")
        assert not connection.in_transaction
        with rows.transaction():
            connection.execute("INSERT INTO whole VALUES (2)")
        assert connection.execute("SELECT COUNT(*) FROM part").fetchone() == (0,)


def test_failed_write_leaves_no_transaction(tmp_path: Path) -> None:
    with closing(open_parts(tmp_path / "store.db")) as connection:
        with pytest.raises(KeyError), CardRows(connection).transaction():
            connection.execute("INSERT INTO whole VALUES (1)")
            raise KeyError
        assert not connection.in_transaction
        assert connection.execute("SELECT COUNT(*) FROM whole").fetchone() == (0,)
