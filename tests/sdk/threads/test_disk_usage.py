import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from kept import Kept, write

from maxagent.config import paths
from maxagent.sdk.threads.disk_usage import database_size, folder_size, snapshot_sizes, thread_sizes


async def test_what_is_kept_for_a_thread_is_counted(kept: Kept) -> None:
    assert thread_sizes([kept.row], kept.home) == {kept.row.thread_id: 0}
    for kind in (paths.outputs_folder, paths.backups_folder):
        folder = kind(kept.home, kept.row.thread_id) / "below"
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 700)
    assert thread_sizes([kept.row], kept.home) == {kept.row.thread_id: 1400}


async def test_snapshots_are_counted_by_folder(kept: Kept) -> None:
    assert snapshot_sizes([kept.row], kept.home) == {}
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    assert snapshot_sizes([kept.row], kept.home)[kept.folder] > 1000
    assert snapshot_sizes([], kept.home) == {}


def test_the_database_is_counted(kept: Kept) -> None:
    assert database_size(kept.home) >= 4096
    assert folder_size(kept.home / "none") == 0


def test_what_is_deleted_while_it_is_counted_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = os.walk

    def deleted_behind_it(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for found in walk(folder):
            (tmp_path / "gone").unlink()
            yield found

    for name in ("gone", "there"):
        (tmp_path / name).write_bytes(b"x" * 700)
    monkeypatch.setattr(os, "walk", deleted_behind_it)
    assert folder_size(tmp_path) == 700
