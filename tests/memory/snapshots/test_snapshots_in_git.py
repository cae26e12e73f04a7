"""Snapshots of folders in which there are repositories, or which are one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from snapshot_project import contents, git, kinds, put_all_back

from maxagent.memory.snapshots.file_version import filter_visible
from maxagent.memory.snapshots.store import Snapshots


@pytest.mark.parametrize("commits", [False, True])
async def test_files_of_nested_repositories_are_part_of_it(
    commits: bool, snapshots: Snapshots, folder: Path
) -> None:
    for name in ("nested", "nested/deeper", "empty", "only ignored"):
        (folder / name).mkdir()
        git(folder / name, "init", "-q")
    (folder / ".gitignore").write_text("*.log\n")
    for name in ("nested/inner.txt", "nested/deeper/x", "nested/ignored", "only ignored/a.log"):
        (folder / name).write_text("1")
    (folder / "nested" / ".gitignore").write_text("ignored\n")
    if commits:
        git(folder / "nested", "add", "inner.txt")
        git(folder / "nested", "commit", "-qm", "inner")
    empty = await Snapshots(folder, folder.parent / "other", ["*"]).take()
    first, before = await snapshots.take(), contents(folder)
    assert [
        change.path for change in filter_visible(await snapshots.list_changes(empty, first))
    ] == [
        *(".gitignore", "a.py", "nested/.gitignore", "nested/deeper/x", "nested/inner.txt"),
        "sub/b.txt",
    ]
    (folder / "nested" / "inner.txt").write_text("2")
    (folder / "nested" / "new").write_text("2")
    (folder / "nested" / "deeper" / "x").unlink()
    second = await snapshots.take()
    assert kinds(await snapshots.list_changes(first, second)) == {
        "nested/deeper/x": "deleted",
        "nested/inner.txt": "modified",
        "nested/new": "added",
    }
    assert await put_all_back(snapshots, first, second) == {}
    assert contents(folder) == before


async def test_a_file_that_becomes_a_repository_and_back(
    snapshots: Snapshots, folder: Path
) -> None:
    old = await snapshots.take()
    (folder / "a.py").unlink()
    (folder / "a.py").mkdir()
    git(folder / "a.py", "init", "-q")
    (folder / "a.py" / "x").write_text("x")
    new = await snapshots.take()
    assert kinds(await snapshots.list_changes(old, new)) == {"a.py": "deleted", "a.py/x": "added"}
    shutil.rmtree(folder / "a.py")
    (folder / "a.py").write_text("a = 1\n")
    assert await snapshots.take() == old


def set_traps(folder: Path, sprung: Path) -> None:
    """Every way in which a repository can have git run something."""
    trap = folder.parent / "trap"
    trap.write_text(f"#!/bin/sh\necho sprung >> {sprung}\ncat\n")
    trap.chmod(0o755)
    hooks = ["post-index-change", "pre-commit", "post-checkout", "reference-transaction"]
    for hook in hooks:
        shutil.copy(trap, folder / ".git" / "hooks" / hook)
    for key in ("core.fsmonitor", "filter.t.clean", "filter.t.smudge", "diff.t.textconv"):
        git(folder, "config", key, str(trap))
    git(folder, "config", "diff.external", str(trap))
    git(folder, "config", "commit.gpgsign", "true")
    (folder / ".gitattributes").write_text("* filter=t diff=t text eol=crlf\n")


async def test_the_users_repository_is_neither_used_nor_touched(
    snapshots: Snapshots, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    (folder / "staged.py").write_text("staged\n")
    git(folder, "add", "staged.py")
    sprung = tmp_path / "sprung"
    set_traps(folder, sprung)
    before = contents(folder / ".git")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_bytes((folder / ".git" / "config").read_bytes())
    old = await snapshots.take()
    (folder / "staged.py").write_text("changed\n")
    new = await snapshots.take()
    assert "-staged\n+changed\n" in await snapshots.diff(old, new)
    assert await put_all_back(snapshots, old, new) == {}
    assert contents(folder / ".git") == before
    assert not sprung.exists()


async def test_variables_that_point_git_elsewhere_do_not_count(
    snapshots: Snapshots, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q")
    before = contents(elsewhere)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(elsewhere))
    old = await snapshots.take()
    (folder / "a.py").unlink()
    assert len(await snapshots.list_changes(old, await snapshots.take())) == 1
    assert contents(elsewhere) == before


async def test_linked_worktree_works_like_any_folder(folder: Path, tmp_path: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    tree = tmp_path / "worktree"
    git(folder, "worktree", "add", "-q", str(tree))
    snapshots = Snapshots(tree, tmp_path / "data" / "snapshots", [])
    old = await snapshots.take()
    (tree / "a.py").write_text("a = 3\n")
    new = await snapshots.take()
    assert kinds(await snapshots.list_changes(old, new)) == {"a.py": "modified"}
    assert await put_all_back(snapshots, old, new) == {}
    assert git(tree, "status", "--porcelain") == ""


WHO = {
    f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
FORMATS = {
    "sha1": "",
    "sha256": "rm -rf .git; git init -q --object-format=sha256; git add -f .; git commit -qm one",
    "split": "git update-index --split-index; echo z > z.txt; git add z.txt",
    "split, empty": "git update-index --split-index",
    "sparse": "git sparse-checkout init --cone --sparse-index; git sparse-checkout add c",
    "version 4": "git update-index --index-version 4",
    "sha256, split": "rm -rf .git; git init -q --object-format=sha256; git add -f .;"
    "git commit -qm one; git update-index --split-index",
}
DESTRUCTIVE = [
    "git restore .",
    "git checkout -- .",
    "git stash -q",
    "git stash -q -u",
    "git reset -q --hard",
    "git checkout -q -f HEAD",
    "git rm -rqf .",
    "git checkout-index -qfa",
    "git read-tree -u --reset HEAD",
]


@pytest.mark.parametrize(
    ("format_name", "line"),
    [
        *(("sha1", line) for line in DESTRUCTIVE),
        *((name, line) for name in [*FORMATS][1:] for line in DESTRUCTIVE[:1]),
    ],
)
async def test_snapshots_hold_what_git_destroys(
    folder: Path, tmp_path: Path, format_name: str, line: str
) -> None:
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "c").mkdir()
    for name in ("a.py", "kept.log", "c/kept.log"):
        (folder / name).write_text("first\n")
    git(folder, "add", "-f", ".")
    git(folder, "commit", "-qm", "first")
    environ = {**os.environ, **WHO}
    command = FORMATS[format_name]
    subprocess.run(["sh", "-ec", command], cwd=folder, check=True, env=environ)
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", [])
    await snapshots.take()
    for name in ("a.py", "kept.log", "c/kept.log"):
        (folder / name).write_text("changed\n")
    old = await snapshots.take()
    subprocess.run(["sh", "-ec", line], cwd=folder, check=True, env=environ)
    new = await snapshots.take()
    assert await put_all_back(snapshots, old, new) == {}
    for name in ("a.py", "kept.log", "c/kept.log"):
        assert (folder / name).read_text() == "changed\n"
