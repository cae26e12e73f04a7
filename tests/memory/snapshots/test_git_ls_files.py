import os
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.snapshots.git_ls_files import (
    find_index,
    find_nested_repositories,
    find_top,
    plan_index_update,
    read_excludes,
)
from maxagent.memory.snapshots.limits import MAX_STORED_FILE_BYTES, NewFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("12345")
    (tmp_path / "sub" / "file").write_text("123")
    (tmp_path / "link").symlink_to("sub")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").touch()
    os.truncate(tmp_path / "big", MAX_STORED_FILE_BYTES + 1)
    return tmp_path


def listed(*entries: str) -> bytes:
    return b"".join(os.fsencode(entry) + b"\0" for entry in entries)


def test_new_files_come_with_their_size(folder: Path) -> None:
    work = plan_index_update(
        folder, listed("? file", "? link", "? nested/", "? pipe", "? gone"), frozenset()
    )
    assert work.new == [NewFile(5, b"file"), NewFile(3, b"link")]
    assert (work.gone, work.changed, work.skipped.describe()) == ([], [], "")


def test_what_is_no_file_any_more_is_gone(folder: Path) -> None:
    entries = ["C file", "R gone", "C gone", "R file/below", "C sub", "C pipe", "C link"]
    work = plan_index_update(folder, listed(*entries), frozenset())
    assert (work.gone, work.changed) == (
        [b"file/below", b"gone", b"pipe", b"sub"],
        [b"file", b"link"],
    )


def test_file_grown_too_large_keeps_old_version(folder: Path) -> None:
    work = plan_index_update(folder, listed("C big"), frozenset())
    assert (work.gone, work.changed, work.skipped.large) == ([], [], [b"big"])


def test_unlisted_named_files_are_new(folder: Path) -> None:
    names = frozenset({b"file", b"sub/file", b"link/file", b"sub", b"pipe", b"gone"})
    work = plan_index_update(folder, listed("C file"), names)
    assert (work.changed, work.new) == ([b"file"], [NewFile(3, b"sub/file")])


def test_nested_repositories_include_listed_and_replaced_files(folder: Path) -> None:
    (folder / "sub" / ".git").mkdir()
    nested_repositories = find_nested_repositories(
        folder, listed("? a/", "? b", "C sub", "C file", "R c")
    )
    assert nested_repositories == {b"a/", b"sub/"}


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
