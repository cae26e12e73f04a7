import os
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.undo.git_state import MAX_INDEX, GitState, read_git_state

ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def shell(folder: Path, line: str) -> None:
    names = {
        f"GIT_{who}_{what}": "a@b.c"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    subprocess.run(
        ["sh", "-ec", line], cwd=folder, env={**os.environ, **ALONE, **names}, check=True
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shell(
        tmp_path,
        "git init -q -b main; echo one > a.txt; echo two > b.txt; mkdir c; echo x > c/d.txt;"
        "git add .; git commit -qm one; git branch other; git branch third;"
        "echo more >> a.txt; git commit -qam two;"
        "echo mine >> b.txt; git worktree add -q .git/tree other",
    )
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "git stash -q -u",
        "git stash -q; git stash pop -q",
        "git stash -q; git checkout -q third",
        "git checkout -q -b new",
        "git reset -q --hard",
        "git reset -q --hard HEAD^",
        "git commit -qam three",
        "git add b.txt",
        "git rm -q --cached a.txt",
        "git stash -q; git rebase -q other",
        "git update-index --chmod=+x a.txt",
        "rm -rf .git",
    ],
)
def test_use_of_git_is_seen(line: str, project: Path) -> None:
    before = read_git_state(project)
    shell(project, line)
    assert not before.is_same(read_git_state(project))


@pytest.mark.parametrize(
    "line",
    [
        ":",
        "echo three > new.txt; echo x >> a.txt",
        "git status -s",
        "git diff; git log -1; git branch -a",
        "git config user.name x",
        "touch -d 2001-01-01 a.txt; git update-index -q --refresh || :",
        "git tag v1; git branch another",
        "git fetch -q . main:refs/remotes/origin/main",
    ],
)
def test_reading_and_refreshing_is_no_use(line: str, project: Path) -> None:
    before = read_git_state(project)
    shell(project, f"{line} > /dev/null")
    assert before.is_same(read_git_state(project))


def test_linked_worktree_has_a_state_of_its_own(project: Path) -> None:
    tree = project / ".git/tree"
    before, outer = read_git_state(tree), read_git_state(project)
    shell(tree, "git checkout -q -b elsewhere")
    assert not before.is_same(read_git_state(tree))
    assert outer.is_same(read_git_state(project))


def test_folder_without_repository_is_the_same(tmp_path: Path) -> None:
    assert read_git_state(tmp_path) == GitState()
    assert read_git_state(tmp_path).is_same(GitState())


@pytest.mark.parametrize("version", [2, 3, 4])
def test_each_format_of_the_index_is_read(version: int, project: Path) -> None:
    shell(project, f"git update-index --index-version {version}; echo y > e.txt; git add -N e.txt")
    before = read_git_state(project)
    assert before.is_same(read_git_state(project))
    shell(project, "git add e.txt")
    assert not before.is_same(read_git_state(project))


FORMATS = {
    "sha256": "rm -rf .git; git init -q --object-format=sha256; git add .; git commit -qm one",
    "split": "git update-index --split-index; echo z > z.txt; git add z.txt",
    "sparse": "git stash -q; git sparse-checkout init --cone --sparse-index",
    "version 4": "git update-index --index-version 4",
    "untracked cache": "git update-index --untracked-cache; git status -s",
    "skipped": "git update-index --skip-worktree c/d.txt",
}
SEEN = ["git stash -q -u", "git reset -q --hard", "git add n.txt", "git rm -q --cached a.txt"]


@pytest.mark.parametrize("line", SEEN)
@pytest.mark.parametrize("format_name", FORMATS)
def test_use_is_seen_in_each_format(format_name: str, line: str, project: Path) -> None:
    shell(project, f"{FORMATS[format_name]}; echo n > n.txt; echo y >> a.txt; git add a.txt")
    before = read_git_state(project)
    shell(project, line)
    assert not before.is_same(read_git_state(project))


@pytest.mark.parametrize("format_name", [name for name in FORMATS if name != "split"])
def test_refreshing_is_no_use_in_each_format(format_name: str, project: Path) -> None:
    shell(project, f"{FORMATS[format_name]}; echo y >> a.txt; git add a.txt")
    before = read_git_state(project)
    shell(project, "touch -d 2001-01-01 a.txt; git update-index -q --refresh || :; git status -s")
    assert before.is_same(read_git_state(project))


def test_use_of_a_large_index_is_seen(project: Path) -> None:
    lines = "".join(
        f"100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t{number:0150}\n"
        for number in range(150_000)
    )
    (project / "lines").write_text(lines)
    shell(project, "git update-index --index-info < lines")
    before = read_git_state(project)
    assert (project / ".git/index").stat().st_size > MAX_INDEX
    assert before.is_same(read_git_state(project))
    shell(project, "git rm -q --cached a.txt")
    assert not before.is_same(read_git_state(project))


@pytest.mark.parametrize("place", [".git", ".git/worktrees/tree"])
def test_tables_of_references_are_compared(place: str, project: Path) -> None:
    tables = project / place / "reftable/tables.list"
    tables.parent.mkdir()
    tables.write_text("0x000000000001-0x000000000001-b54f3b59.ref\n")
    folder = project if place == ".git" else project / ".git/tree"
    before = read_git_state(folder)
    tables.write_text("0x000000000001-0x000000000002-c1a3d801.ref\n")
    assert not before.is_same(read_git_state(folder))
