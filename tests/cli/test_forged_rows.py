"""Somebody else has written to the database: nothing of it runs, and no name becomes a path."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import ormsgpack
import pytest
from thread_history import THREAD, Kept

IDS = ["../../victim", "..", "x'; DROP TABLE threads; --\x1b[2J"]
NAMES = ["'; DROP TABLE threads; --", "../../victim", "%"]


def rows(kept: Kept) -> int:
    with closing(sqlite3.connect(kept.home / "data" / "threads.db")) as connection:
        return connection.execute("SELECT COUNT(*) FROM threads").fetchone()[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_only_a_name(name: str, kept: Kept) -> None:
    kept.add("bbbbbbbb-0000-4000-8000-000000000000", name)
    assert kept.mcode("threads", "rename", "aaaa", name).returncode == 0
    shown = kept.mcode("threads", "show", name, "--json")
    assert json.loads(shown.stdout)["thread_id"] == THREAD
    assert kept.mcode("threads", "show", name + "'").returncode == 2
    assert kept.mcode("threads", "delete", name, "--yes").returncode == 0
    assert rows(kept) == 1


@pytest.mark.parametrize("thread", IDS)
def test_an_id_never_becomes_a_path(thread: str, kept: Kept, tmp_path: Path) -> None:
    for place in (kept.home / "victim", kept.home.parent / "victim", kept.home / "data" / "victim"):
        place.mkdir(exist_ok=True)
        (place / "file").touch()
    kept.add(thread, "forged")
    before = sorted(place for place in kept.home.rglob("*") if "victim" in str(place))
    for arguments in (
        ["threads", "list", "--size"], ["threads", "delete", thread, "--yes"],
        ["threads", "fork", "--at", "1", thread], ["undo", thread, "--yes"], ["resume", thread],
        ["threads", "prune", "--yes"], ["threads", "show", thread], ["rewind", thread],
    ):  # fmt: skip
        said = kept.mcode(*arguments)
        assert said.returncode in (0, 1, 2) and "Traceback" not in said.stderr
        assert "\x1b" not in said.stdout + said.stderr
    assert sorted(place for place in kept.home.rglob("*") if "victim" in str(place)) == before


def test_a_forged_checkpoint_is_reported_and_runs_nothing(kept: Kept, tmp_path: Path) -> None:
    made = tmp_path / "made"
    call = ormsgpack.Ext(0, ormsgpack.packb(["os", "mkdir", str(made)]))
    with closing(sqlite3.connect(kept.home / "data" / "threads.db")) as connection, connection:
        connection.executescript(
            "CREATE TABLE IF NOT EXISTS checkpoints (thread_id TEXT, checkpoint_ns TEXT,"
            " checkpoint_id TEXT, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB,"
            " metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
            "CREATE TABLE IF NOT EXISTS writes (thread_id TEXT, checkpoint_ns TEXT,"
            " checkpoint_id TEXT, task_id TEXT, idx INTEGER, channel TEXT, type TEXT, value BLOB,"
            " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));"
        )
        forged = ormsgpack.packb({"v": 1, "channel_values": {"messages": call}, "ts": "2026"})
        connection.execute(
            "INSERT INTO checkpoints VALUES (?, '', '1f0', NULL, 'msgpack', ?, '{}')",
            (THREAD, forged),
        )
    said = kept.mcode("resume", "aaaa", "--model", "scripted/none.json", OPENAI_API_KEY="x" * 20)
    assert said.returncode in (1, 2) and "Traceback" not in said.stderr
    for arguments in (["threads", "list"], ["rewind", "aaaa"], ["threads", "show", "aaaa"]):
        assert "Traceback" not in kept.mcode(*arguments).stderr
    assert not made.exists()
