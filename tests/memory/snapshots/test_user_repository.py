import os
import subprocess
from pathlib import Path

from maxagent.memory.snapshots.user_repository import find_index, find_top, read_excludes


def git(where: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=u", "-c", "user.email=u@localhost"]
    subprocess.run(["git", *identity, *arguments], cwd=where, check=True, capture_output=True)


def test_the_nearest_repository_counts(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    git(tmp_path / "a", "init", "-q")
    assert find_top(deep) == find_top(tmp_path / "a") == tmp_path / "a"
    git(deep, "init", "-q")
    assert find_top(deep) == deep
    assert find_top(deep.parent) == tmp_path / "a"


def test_user_excludes_are_found_from_every_checkout(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "project")
    project = tmp_path / "project"
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(project, "worktree", "add", "-q", "../tree")
    (project / ".git" / "info" / "exclude").write_bytes(b"mine\n")
    assert read_excludes(project) == read_excludes(tmp_path / "tree") == b"mine\n"


def test_pipe_in_place_of_excludes_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / ".git/info").mkdir(parents=True)
    os.mkfifo(tmp_path / ".git/info/exclude")
    assert read_excludes(tmp_path) == b""


def test_each_checkout_has_an_index_of_its_own(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "project")
    project = tmp_path / "project"
    assert find_index(project) is None
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(project, "worktree", "add", "-q", "../tree")
    (project / "new").write_text("x")
    git(project, "add", ".")
    assert find_index(project) == project / ".git" / "index"
    assert find_index(tmp_path / "tree") == project / ".git" / "worktrees" / "tree" / "index"


def test_what_is_no_repository_has_none(tmp_path: Path) -> None:
    assert (read_excludes(tmp_path), find_index(tmp_path)) == (b"", None)
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert (read_excludes(tmp_path), find_index(tmp_path)) == (b"", None)
    (tmp_path / ".git").write_bytes(b"\xff\0")
    assert (read_excludes(tmp_path), find_index(tmp_path)) == (b"", None)
