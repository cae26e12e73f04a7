"""The walk through a folder that a command reads."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.permissions import tree_walk
from maxagent.tools.permissions.tree_filters import LeftOut, PatternFilter
from maxagent.tools.permissions.tree_walk import ReadTree, TooManyFilesError, walk_tree

FILES = ("a.txt", "src/b.txt", "src/deep/c.txt", ".hidden/d.txt", ".git/e.txt", "out/f.txt")
ALL = PatternFilter()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    (folder / ".gitignore").write_text("out/\n")
    (folder / "link").symlink_to("src")
    (folder / "away").symlink_to("..")
    return folder


def walk(tree: ReadTree, root: Path, end: str = ".txt") -> list[str]:
    return sorted(set(walk_tree(tree, root, lambda name: name.endswith(end))))


@pytest.mark.parametrize(
    ("top", "view", "names"),
    [
        ("", ".", [".hidden/d.txt", "a.txt", "out/f.txt", "src/b.txt", "src/deep/c.txt"]),
        ("src", "src", ["src/b.txt", "src/deep/c.txt"]),
        ("src/deep", "deep", ["src/deep/c.txt"]),
        ("missing", "missing", []),
        ("..", "..", [".hidden/d.txt", "a.txt", "out/f.txt", "src/b.txt", "src/deep/c.txt"]),
        ("../..", "../..", [".hidden/d.txt", "a.txt", "out/f.txt", "src/b.txt", "src/deep/c.txt"]),
        ("../other", "../other", []),
    ],
)
def test_files_below_the_top(root: Path, top: str, view: str, names: list[str]) -> None:
    assert walk(ReadTree(os.path.normpath(root / top), view, ALL), root) == names


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"skips": "ignored"}, ["out/f.txt"]),
        ({"skips": "hidden"}, [".hidden/d.txt", "out/f.txt"]),
        ({"filter": PatternFilter(tuple(r for _, r in LeftOut("name").compile("src")))},
         ["src/b.txt", "src/deep/c.txt"]),
        ({"filter": PatternFilter((), tuple(r for _, r in LeftOut("name").compile("b.txt")))},
         ["src/b.txt"]),
        ({"may_skip_top": True, "filter": PatternFilter(
            tuple(r for _, r in LeftOut("name").compile(".")))}, None),
    ],
)  # fmt: skip
def test_files_that_are_passed(
    root: Path, changes: dict[str, object], missing: list[str] | None
) -> None:
    tree = ReadTree(str(root), ".", ALL)
    everything = walk(tree, root)
    passed = walk(replace(tree, **changes), root)  # type: ignore[arg-type]
    assert passed == [name for name in everything if missing is not None and name not in missing]


@pytest.mark.parametrize(
    ("end", "follows", "names"),
    [
        ("link/b.txt", False, []),
        ("link/b.txt", True, []),
        ("src/b.txt", True, ["src/b.txt"]),
        ("away", True, []),
    ],
)
def test_links_lead_no_further_than_the_project(
    root: Path, end: str, follows: bool, names: list[str]
) -> None:
    assert walk(ReadTree(str(root), ".", ALL, follows), root, end) == names


@pytest.mark.parametrize(
    ("limit", "is_over"), [(3, True), (12, True), (13, False), (20, False), (100, False)]
)
def test_a_folder_with_too_many_entries(
    root: Path, limit: int, is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_walk, "MAX_TREE_ENTRIES", limit)
    tree = ReadTree(str(root), ".", ALL)
    if is_over:
        with pytest.raises(TooManyFilesError):
            walk(tree, root)
    else:
        assert walk(tree, root)
