import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from maxagent.memory.snapshots.file_version import ABSENT, FILE, FileVersion, PathChange
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.undo.change_chains import (
    ChangeRun,
    build_chains,
    compute_net_changes,
    render_net_diff,
)
from maxagent.memory.undo.history import HistoryEntry

A, B, C, D = (FileVersion(FILE, letter * 40) for letter in "abcd")
Step = tuple[FileVersion, FileVersion]


def entry(
    number: int,
    *steps: Step,
    path: str = "x",
    reverted: Sequence[int] = (),
    left: str = "",
    sure: bool = True,
) -> HistoryEntry:
    return HistoryEntry(
        number=number,
        key=str(number),
        kind="undo" if reverted else "shell",
        tool="run_command",
        turn=1,
        before="",
        after="",
        changes=tuple(PathChange(path, old, new) for old, new in steps),
        reverted=tuple(reverted),
        state="done",
        sure=sure,
        created_at="",
        skipped=frozenset(left),
    )


def run(old: FileVersion, new: FileVersion, unsure: str = "") -> ChangeRun:
    return ChangeRun(old, new, unsure)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([entry(1, (A, B)), entry(2, (B, C))], [run(A, C)]),
        ([entry(1, (A, B)), entry(3, (C, D))], [run(A, B), run(C, D)]),
        ([entry(1, (A, B)), entry(2, (B, A))], [run(A, A)]),
        ([entry(1, (A, B), sure=False), entry(2, (B, C))], [run(A, C, "run_command")]),
        ([entry(1, (A, B)), entry(2, (C, A), reverted=[1])], []),
        ([entry(2, (B, A), reverted=[1])], [run(B, A)]),
        ([entry(2, (B, C)), entry(3, (C, A), reverted=[1, 2])], [run(B, A)]),
        (
            [entry(1, (A, B)), entry(2, (B, A), reverted=[1]), entry(3, (A, B), reverted=[2])],
            [run(A, B)],
        ),
        (
            [
                entry(1, (A, B)),
                entry(2, (B, A), reverted=[1]),
                entry(3, (A, C)),
                entry(4, (D, A), reverted=[1, 2, 3]),
            ],
            [],
        ),
    ],
)
def test_contiguous_changes_merge_and_reverted_ones_vanish(
    entries: list[HistoryEntry], expected: list[ChangeRun]
) -> None:
    assert build_chains(entries) == ({"x": expected} if expected else {})


def test_file_left_alone_by_restore_stays_revertible() -> None:
    both = entry(1, (A, B))
    other = entry(2, (A, B), path="y")
    undo = entry(3, (B, A), path="y", reverted=[1, 2], left="x")
    assert build_chains([both, other, undo]) == {"x": [run(A, B)]}
    forced = entry(4, (C, A), reverted=[1])
    assert build_chains([both, other, undo, forced]) == {}


def test_restore_without_work_leaves_nothing_to_revert() -> None:
    assert build_chains([entry(1, (A, B)), entry(2, reverted=[1])]) == {}


def test_files_come_by_path() -> None:
    assert list(build_chains([entry(1, (A, B), path="y"), entry(2, (A, B))])) == ["x", "y"]


ONE, TWO, THREE = (FileVersion("100644", str(number) * 40) for number in (1, 2, 3))


def net_entry(*changes: PathChange, before: str = "b", after: str = "a") -> HistoryEntry:
    return HistoryEntry(1, "k", "tool", "edit", 1, before, after, changes, (), "done", True, "")


def test_net_change_spans_first_to_last_version() -> None:
    entries = [
        net_entry(PathChange("a", ONE, TWO), PathChange("b", ABSENT, ONE)),
        net_entry(PathChange("a", TWO, THREE)),
    ]
    assert compute_net_changes(entries) == (
        PathChange("a", ONE, THREE),
        PathChange("b", ABSENT, ONE),
    )


def test_what_ended_as_it_began_is_no_change() -> None:
    entries = [net_entry(PathChange("a", ABSENT, ONE)), net_entry(PathChange("a", ONE, ABSENT))]
    assert compute_net_changes(entries) == ()


async def test_diff_shows_only_files_of_entries(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    before = await snapshots.take()
    (folder / "ours").write_text("one\n")
    (folder / "theirs").write_text("two\n")
    after = await snapshots.take()
    ours = [
        change for change in await snapshots.list_changes(before, after) if change.path == "ours"
    ]
    diff = await render_net_diff(snapshots, [net_entry(*ours, before=before, after=after)])
    assert "+one" in diff
    assert "theirs" not in diff


@pytest.mark.parametrize("missing", ["", "objects"])
@pytest.mark.parametrize("path", [os.environ["PATH"], "/nowhere"])
async def test_where_snapshots_are_lost_the_diff_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, path: str
) -> None:
    monkeypatch.setenv("PATH", path)
    folder = tmp_path / "project"
    folder.mkdir()
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    before = await snapshots.take()
    (folder / "a").write_text("one\n")
    after = await snapshots.take(["a"])
    changes = await snapshots.list_changes(before, after)
    shutil.rmtree(snapshots.directory / missing)
    diff = await render_net_diff(snapshots, [net_entry(*changes, before=before, after=after)])
    assert "snapshots" in diff and "lost" in diff


async def test_no_entries_have_no_diff(tmp_path: Path) -> None:
    assert await render_net_diff(Snapshots(tmp_path, tmp_path / "data" / "snapshots", []), []) == ""
