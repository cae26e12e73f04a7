import os
import shutil
from pathlib import Path

import pytest

from maxagent.memory.snapshots.file_version import ABSENT, Change, Version
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.undo.change_chains_net_changes import net_changes, net_diff
from maxagent.memory.undo.history import Entry

ONE, TWO, THREE = (Version("100644", str(number) * 40) for number in (1, 2, 3))


def entry(*changes: Change, before: str = "b", after: str = "a") -> Entry:
    return Entry(1, "k", "tool", "edit", 1, before, after, changes, (), "done", True, "")


def test_each_file_is_there_once_from_its_first_to_its_last_version() -> None:
    entries = [
        entry(Change("a", ONE, TWO), Change("b", ABSENT, ONE)),
        entry(Change("a", TWO, THREE)),
    ]
    assert net_changes(entries) == (Change("a", ONE, THREE), Change("b", ABSENT, ONE))


def test_what_ended_as_it_began_is_no_change() -> None:
    entries = [entry(Change("a", ABSENT, ONE)), entry(Change("a", ONE, ABSENT))]
    assert net_changes(entries) == ()


async def test_the_diff_shows_only_the_files_of_the_entries(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    before = await snapshots.take()
    (folder / "ours").write_text("one\n")
    (folder / "theirs").write_text("two\n")
    after = await snapshots.take()
    ours = [change for change in await snapshots.changes(before, after) if change.path == "ours"]
    diff = await net_diff(snapshots, [entry(*ours, before=before, after=after)])
    assert "+one" in diff
    assert "theirs" not in diff


@pytest.mark.parametrize("gone", ["", "objects"])
@pytest.mark.parametrize("path", [os.environ["PATH"], "/nowhere"])
async def test_where_snapshots_are_lost_the_diff_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str, path: str
) -> None:
    monkeypatch.setenv("PATH", path)
    folder = tmp_path / "project"
    folder.mkdir()
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    before = await snapshots.take()
    (folder / "a").write_text("one\n")
    after = await snapshots.take(["a"])
    changes = await snapshots.changes(before, after)
    shutil.rmtree(snapshots.directory / gone)
    diff = await net_diff(snapshots, [entry(*changes, before=before, after=after)])
    assert "snapshots" in diff and "lost" in diff


async def test_no_entries_have_no_diff(tmp_path: Path) -> None:
    assert await net_diff(Snapshots(tmp_path, tmp_path / "data" / "snapshots", []), []) == ""
