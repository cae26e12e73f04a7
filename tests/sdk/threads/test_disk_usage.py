import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from thread_history import Kept, write

from maxagent.config import paths
from maxagent.sdk.threads.disk_usage import (
    measure_database,
    measure_folder,
    measure_snapshots,
    measure_threads,
)


async def test_what_is_kept_for_a_thread_is_counted(kept: Kept) -> None:
    assert measure_threads([kept.row], kept.home) == {kept.row.thread_id: 0}
    for kind in (paths.locate_outputs, paths.locate_backups):
        folder = kind(kept.home, kept.row.thread_id) / "below"
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 700)
    assert measure_threads([kept.row], kept.home) == {kept.row.thread_id: 1400}


async def test_snapshots_are_counted_by_folder(kept: Kept) -> None:
    assert measure_snapshots([kept.row], kept.home) == {}
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    assert measure_snapshots([kept.row], kept.home)[kept.folder] > 1000
    assert measure_snapshots([], kept.home) == {}


def test_the_database_is_counted(kept: Kept) -> None:
    assert measure_database(kept.home) >= 4096
    assert measure_folder(kept.home / "none") == 0


def test_files_deleted_while_measuring_are_not_counted(
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
    assert measure_folder(tmp_path) == 700
