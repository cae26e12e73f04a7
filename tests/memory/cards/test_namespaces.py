"""Which memory a folder has: its own, whatever its repository says."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from git_remotes import HTTPS, create_repository

from maxagent.memory.cards.namespaces import identify_project, identify_remote

SAME = [
    HTTPS,
    f"{HTTPS}.git",
    f"{HTTPS}/",
    "https://me:secret-token@github.com/owner/name.git",
    "https://GitHub.com:443/owner/name",
    "git@github.com:owner/name.git",
    "ssh://git@github.com/owner/name.git",
    "ssh://git@github.com:22/owner/name",
]


@pytest.mark.parametrize("url", SAME)
def test_remote_is_one_hint_however_written(url: str, tmp_path: Path) -> None:
    first = create_repository(tmp_path / "first", HTTPS)
    second = create_repository(tmp_path / "second", url, "https://github.com/other/fork")
    (second / "sub").mkdir()
    assert identify_remote(first) == identify_remote(second / "sub")
    assert identify_project(first) != identify_project(second)
    assert identify_project(second) == identify_project(second / "sub")


def test_other_remote_is_another_hint(tmp_path: Path) -> None:
    first = create_repository(tmp_path / "first", HTTPS)
    others = [f"{HTTPS}2", "https://gitlab.com/owner/name", "/srv/name.git", "../name"]
    result = {identify_remote(first)}
    for number, url in enumerate(others):
        result.add(identify_remote(create_repository(tmp_path / str(number), url)))
    assert len(result) == 1 + len(others)


def test_folder_without_remote_is_known_by_real_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    repository = create_repository(tmp_path / "b")
    assert identify_project(tmp_path / "a") == identify_project(tmp_path / "link")
    assert identify_project(repository) != identify_project(tmp_path / "a")
    assert len(identify_project(repository)) == 16


def create_worktree(main: Path, target_path: Path, *options: str) -> Path:
    name = ["-c", "user.name=n", "-c", "user.email=e@x", *options]
    for text in (
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(target_path), "-b", target_path.name],
    ):
        subprocess.run(["git", "-C", main, *name, *text], check=True)
    return target_path


def test_worktree_has_the_memory_of_its_repository(tmp_path: Path) -> None:
    first = create_repository(tmp_path / "first", HTTPS)
    tree = create_worktree(first, tmp_path / "tree")
    (tree / "sub").mkdir()
    assert identify_project(tree / "sub") == identify_project(first)


def point_by_gitdir(hostile: Path, main: Path) -> None:
    (hostile / ".git").write_text(f"gitdir: {main / '.git'}\n")


def point_by_link(hostile: Path, main: Path) -> None:
    (hostile / ".git").symlink_to(main / ".git")


def point_to_worktree(hostile: Path, main: Path) -> None:
    (hostile / ".git").write_text(f"gitdir: {main / '.git' / 'worktrees' / 'tree'}\n")


def point_by_commondir(hostile: Path, main: Path) -> None:
    own = hostile / "git" / "worktrees" / "x"
    own.mkdir(parents=True)
    (hostile / ".git").write_text(f"gitdir: {own}\n")
    (own / "commondir").write_text(f"{main / '.git'}\n")
    (own / "gitdir").write_text(f"{hostile / '.git'}\n")


def point_by_linked_folder(hostile: Path, main: Path) -> None:
    (hostile / "git").mkdir()
    (hostile / "git" / "worktrees").symlink_to(main / ".git" / "worktrees")
    (hostile / ".git").write_text("gitdir: git/worktrees/tree\n")


def point_by_repository(hostile: Path, main: Path) -> None:
    subprocess.run(["git", "init", "-q", hostile], check=True)
    (hostile / ".git" / "commondir").write_text(f"{main / '.git'}\n")
    (hostile / ".git" / "gitdir").write_text(f"{hostile / '.git'}\n")


def point_by_core_worktree(hostile: Path, main: Path) -> None:
    subprocess.run(["git", "init", "-q", hostile], check=True)
    for name, value in (("core.worktree", main), ("remote.origin.url", HTTPS)):
        subprocess.run(["git", "-C", hostile, "config", name, value], check=True)


IMPOSTORS = [value for name, value in sorted(globals().items()) if name.startswith("point_")]


@pytest.mark.parametrize("impostor", IMPOSTORS)
def test_impostor_has_no_other_memory(
    impostor: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    main = create_repository(tmp_path / "main", HTTPS)
    create_worktree(main, tmp_path / "tree")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    impostor(hostile, main)
    plain = tmp_path / "plain"
    plain.mkdir()
    assert identify_project(hostile) not in (
        identify_project(main),
        identify_project(tmp_path / "tree"),
        identify_project(plain),
    )


@pytest.mark.parametrize("config", ["", "[remote", '[remote "x"]\nurl\n', "\0\xff" * 50])
def test_broken_config_counts_as_no_remote(config: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(config)
    other = tmp_path / "other"
    other.mkdir()
    assert identify_remote(tmp_path) == identify_remote(other) == ""
