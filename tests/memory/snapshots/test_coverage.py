import os
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.snapshots.limits import MAX_STORED_FILE_BYTES
from maxagent.memory.snapshots.store import Snapshots


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src/deep").mkdir(parents=True)
    (folder / "src/a.py").write_text("a = 1\n")
    (folder / "src/deep/b.py").write_text("b = 1\n")
    (folder / "build").mkdir()
    (folder / "build/out.js").write_text("1;\n")
    (folder / ".gitignore").write_text("build/\n")
    return folder


@pytest.fixture
def snapshots(folder: Path, tmp_path: Path) -> Snapshots:
    return Snapshots(folder, tmp_path / "data" / "snapshots", (".env",))


async def test_snapshot_covers_its_files_and_folders(snapshots: Snapshots, folder: Path) -> None:
    assert not snapshots.can_restore(folder / "src")
    await snapshots.take()
    assert snapshots.can_restore(folder / "src/a.py")
    assert snapshots.can_restore(folder / "src")
    assert snapshots.can_restore(folder / "nothing-there")


async def test_files_outside_of_snapshots_are_uncovered(snapshots: Snapshots, folder: Path) -> None:
    (folder / ".env").write_text("A=1\n")
    (folder / "src/big.bin").write_bytes(b"")
    os.truncate(folder / "src/big.bin", MAX_STORED_FILE_BYTES + 1)
    await snapshots.take()
    os.mkfifo(folder / "src/deep/pipe")
    (folder / "new.txt").write_text("new\n")
    for name in ("build", "build/out.js", ".env", "src/big.bin", "src", "src/deep", "new.txt"):
        assert not snapshots.can_restore(folder / name), name
    assert snapshots.can_restore(folder / "src/a.py")


def test_tracked_files_are_covered_before_first_snapshot(
    snapshots: Snapshots, folder: Path
) -> None:
    (folder / ".env").write_text("A=1\n")
    for text in (["init", "-q"], ["add", "-f", "src", ".env"]):
        subprocess.run(["git", *text], cwd=folder, check=True)
    assert snapshots.can_restore(folder / "src")
    assert not snapshots.can_restore(folder / "build")
    assert not snapshots.can_restore(folder / ".env")
    (folder / "src/new.py").write_text("new\n")
    assert not snapshots.can_restore(folder / "src")


def test_torn_index_covers_nothing(snapshots: Snapshots, folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\0\5torn")
    assert not snapshots.can_restore(folder / "src/a.py")
