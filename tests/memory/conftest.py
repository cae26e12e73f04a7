"""What the tests of snapshots share."""

from pathlib import Path

import pytest
from snapshot_project import SENSITIVE

from maxagent.memory.snapshots.store import Snapshots


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("a = 1\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.txt").write_text("b\n")
    return folder


@pytest.fixture
def snapshots(folder: Path, tmp_path: Path) -> Snapshots:
    return Snapshots(folder, tmp_path / "data" / "snapshots", SENSITIVE)
