"""Which memory a folder has: that of its repository's first remote, or its own."""

import subprocess
from pathlib import Path

import pytest

from maxagent.memory.cards.namespaces import get_namespace, get_scope, identify_project

HTTPS = "https://github.com/owner/name"
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


def create_repository(folder: Path, *remotes: str) -> Path:
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    for number, url in enumerate(remotes):
        subprocess.run(["git", "-C", folder, "remote", "add", f"r{number}", url], check=True)
    return folder


@pytest.mark.parametrize("url", SAME)
def test_remote_is_one_project_however_written(url: str, tmp_path: Path) -> None:
    first = create_repository(tmp_path / "first", HTTPS)
    second = create_repository(tmp_path / "second", url, "https://github.com/other/fork")
    (second / "sub").mkdir()
    assert identify_project(first) == identify_project(second / "sub")


def test_other_remote_is_another_project(tmp_path: Path) -> None:
    first = create_repository(tmp_path / "first", HTTPS)
    others = [f"{HTTPS}2", "https://gitlab.com/owner/name", "/srv/name.git", "../name"]
    found = {identify_project(first)}
    for number, url in enumerate(others):
        found.add(identify_project(create_repository(tmp_path / str(number), url)))
    assert len(found) == 1 + len(others)


def test_folder_without_remote_is_known_by_real_path(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    repository = create_repository(tmp_path / "b")
    assert identify_project(tmp_path / "a") == identify_project(tmp_path / "link")
    assert identify_project(repository) != identify_project(tmp_path / "a")
    assert len(identify_project(repository)) == 16


def test_worktree_has_the_memory_of_its_repository(tmp_path: Path) -> None:
    first = create_repository(tmp_path / "first", HTTPS)
    name = ["-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run(
        ["git", "-C", first, *name, "commit", "-q", "--allow-empty", "-m", "x"], check=True
    )
    subprocess.run(["git", "-C", first, "worktree", "add", "-q", tmp_path / "tree"], check=True)
    assert identify_project(tmp_path / "tree") == identify_project(first)


@pytest.mark.parametrize("config", ["", "[remote", '[remote "x"]\nurl\n', "\0\xff" * 50])
def test_broken_config_counts_as_no_remote(config: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(config)
    other = tmp_path / "other"
    other.mkdir()
    assert identify_project(tmp_path) == identify_project(other)


def test_scope_is_read_from_namespace() -> None:
    project = "0" * 16
    for scope in ("user", "project", "notes"):
        assert get_scope(get_namespace(scope, project), project) == scope
    assert get_scope(get_namespace("notes", "f" * 16), project) is None
