from pathlib import Path

import pytest

from maxagent.memory.snapshots.file_version import ABSENT, FILE, FileVersion, PathChange
from maxagent.memory.undo.path_conflicts import find_path_conflicts

THERE = FileVersion(FILE, "1" * 40)


def coming(path: str) -> PathChange:
    return PathChange(path, ABSENT, THERE)


def going(path: str) -> PathChange:
    return PathChange(path, THERE, ABSENT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    (tmp_path / "folder" / "sub" / "x").write_text("")
    (tmp_path / "empty" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "x").symlink_to("../folder")
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ([coming("new"), coming("new folder/x"), coming("folder/y"), coming("file")], set()),
        (
            [coming("file/x"), coming("link/x"), coming("file/x/y")],
            {"file/x", "link/x", "file/x/y"},
        ),
        ([coming("file/x"), going("file")], set()),
        ([coming("folder")], {"folder"}),
        ([coming("folder"), going("folder/sub/x")], set()),
        ([coming("folder"), going("folder/sub/y")], {"folder"}),
        ([coming("links")], {"links"}),
        ([coming("links"), going("links/x")], set()),
        ([coming("empty")], set()),
        ([coming("circle/x")], {"circle/x"}),
        ([coming("circle/x"), going("circle")], set()),
        ([going("folder"), going("file/x")], set()),
    ],
)
def test_remaining_paths_conflict_and_removed_ones_do_not(
    changes: list[PathChange], left: set[str], folder: Path
) -> None:
    assert set(find_path_conflicts(folder, changes)) == left
