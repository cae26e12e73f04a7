import os
from pathlib import Path

import pytest

from maxagent.memory.snapshots import limits
from maxagent.memory.snapshots.limits import (
    MAX_STORED_FILE_BYTES,
    NewFile,
    SkippedFiles,
    select_fitting,
)
from maxagent.memory.snapshots.store import Snapshots


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILES", 5)
    monkeypatch.setattr(limits, "MAX_BYTES", 100)


FILES = [NewFile(size, name) for size, name in ((60, b"data"), (1, b"a"), (9, b"b"), (30, b"c"))]


@pytest.mark.parametrize(
    ("files", "size", "chunks", "chosen", "many", "heavy"),
    [
        (0, 0, set[bytes](), [b"a", b"b", b"c", b"data"], 0, 0),
        (2, 0, set[bytes](), [b"a", b"b", b"c"], 1, 0),
        (2, 0, {b"data"}, [b"data", b"a", b"b"], 1, 0),
        (5, 0, {b"data"}, [b"data"], 3, 0),
        (9, 0, {b"data", b"b"}, [b"b", b"data"], 2, 0),
        (0, 50, set[bytes](), [b"a", b"b", b"c"], 0, 1),
        (0, 50, {b"data"}, [b"data"], 0, 3),
        (0, 500, set[bytes](), [], 0, 4),
        (0, 500, {b"c"}, [b"c"], 0, 3),
    ],
)
@pytest.mark.usefixtures("small")
def test_named_files_always_fit_then_the_smallest(
    files: int, size: int, chunks: set[bytes], chosen: list[bytes], many: int, heavy: int
) -> None:
    skipped_files = SkippedFiles()
    assert sorted(select_fitting(FILES, chunks, files, size, skipped_files)) == sorted(chosen)
    assert (skipped_files.many, skipped_files.heavy) == (many, heavy)


def test_what_is_left_out_is_reported_in_words() -> None:
    assert SkippedFiles().describe() == ""
    skipped_files = SkippedFiles([b"b.iso", b"a\xff.iso"], 1, 2_000, [b"%d" % n for n in range(8)])
    assert skipped_files.describe() == (
        "not in snapshots, so undo cannot restore it: "
        "over 20 MB: `a\\xff.iso`, `b.iso`; 1 file beyond the 200,000 that a snapshot holds; "
        "2,000 files beyond the 1 GB that all files of a snapshot may take; "
        "not readable: `0`, `1`, `2`, `3`, `4`, 3 more"
    )


@pytest.mark.parametrize("program", ["git", "no git"])
async def test_file_over_limit_is_skipped_and_reported(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if program == "no git":
        monkeypatch.setenv("PATH", "/nowhere")
    folder = tmp_path / "project"
    folder.mkdir()
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    names = ["big.bin", "grows.bin", "small"]
    for name in names:
        (folder / name).write_bytes(b"x")
    os.truncate(folder / "big.bin", MAX_STORED_FILE_BYTES + 1)
    old = await snapshots.take(named_files=names)
    assert "over 20 MB: `big.bin`" in snapshots.skipped
    os.truncate(folder / "grows.bin", MAX_STORED_FILE_BYTES + 1)
    (folder / "small").write_bytes(b"y")
    new = await snapshots.take()
    assert "`big.bin`, `grows.bin`" in snapshots.skipped
    assert [change.path for change in await snapshots.list_changes(old, new)] == ["small"]
    for name in names[:2]:
        os.truncate(folder / name, MAX_STORED_FILE_BYTES)
    await snapshots.take()
    assert snapshots.skipped == ""


@pytest.mark.parametrize("new_process", [True, False])
@pytest.mark.parametrize(
    ("program", "becomes"), [("git", "large"), ("no git", "large"), ("no git", "unreadable")]
)
async def test_skipped_file_is_not_deleted_by_a_restart(
    becomes: str, new_process: bool, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if program == "no git":
        monkeypatch.setenv("PATH", "/nowhere")
    folder, stores = tmp_path / "project", tmp_path / "data" / "snapshots"
    folder.mkdir()
    (folder / "grows.bin").write_bytes(b"x")
    (folder / "small").write_bytes(b"x")
    snapshots = Snapshots(folder, stores, [])
    old = await snapshots.take(named_files=["grows.bin", "small"])
    if becomes == "large":
        os.truncate(folder / "grows.bin", MAX_STORED_FILE_BYTES + 1)
    else:
        (folder / "grows.bin").unlink()
        os.mkfifo(folder / "grows.bin")
    for content in (b"y", b"z"):
        if new_process:
            snapshots = Snapshots(folder, stores, [])
        (folder / "small").write_bytes(content)
        new = await snapshots.take()
        assert [each.path for each in await snapshots.list_changes(old, new)] == ["small"]


@pytest.mark.usefixtures("small")
async def test_tree_with_too_many_files_is_stored_partly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxagent.memory.snapshots.git_backend.MAX_FILES", limits.MAX_FILES)
    folder = tmp_path / "project"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.txt").write_bytes(b"x" * number)
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    first = await snapshots.take()
    assert "3 files beyond the 5" in snapshots.skipped
    await snapshots.take()
    assert snapshots.skipped == ""  # once is enough
    (folder / "7.txt").write_text("changed")
    (folder / "0.txt").write_text("changed")
    second = await snapshots.take()
    assert [change.path for change in await snapshots.list_changes(first, second)] == ["0.txt"]
    (folder / "1.txt").unlink()
    await snapshots.take(named_files=["7.txt"])
    assert "2 files beyond the 5" in snapshots.skipped
