"""TODO: what this is."""

import subprocess
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.flags import NotReadOnlyError
from maxagent.tools.shell.readonly.git_repository import find_repository, is_as_cloned


def git(root: Path, *arguments: str) -> None:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *person, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    return root


ORDINARY = """
# a comment
[user]
\tname = A ; another
[remote "origin"]
\turl = git@example.org:a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "feature/x"]
\tremote = origin
\tmerge = refs/heads/feature/x
\tvscode-merge-base = origin/main
[core]
\tautocrlf = input
\thooksPath = .husky/_
[pull]
\trebase
[submodule "a b"]
\tactive = true
[alias]
\tst = status
"""


def test_an_ordinary_configuration_is_harmless(root: Path) -> None:
    with open(root / ".git/config", "a") as config:
        config.write(ORDINARY)
    repository = find_repository(root, root)
    assert repository and (repository.top, repository.git_dir) == (root, root / ".git")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[core]\n\tfsmonitor = x\n", "core.fsmonitor"),
        ("[CORE]\n\tFsMonitor = x\n", "core.fsmonitor"),
        ("[core]\r\n\tfsmonitor = x\r\n", "core.fsmonitor"),
        ("[core] fsmonitor = x\n", "unusual"),
        ("[core]\n\tbare = false \\\n\tfsmonitor = x\n", "unusual"),
        ("[core]\n\tfsmonitor\n", "core.fsmonitor"),
        ("[core\n", "unusual"),
        ("\ufeff[core]\n\tfsmonitor = x\n", "unusual"),
        ('[diff "x"]\n\ttextconv = x\n', "diff.textconv"),
        ('[diff "x"]\n\trenames = x\n', "diff.renames"),
        ("[diff]\n\texternal = x\n", "diff.external"),
        ("[diff.x]\n\tcommand = x\n", "diff.x.command"),
        ('[filter "x"]\n\tclean = x\n', "filter.clean"),
        ("[include]\n\tpath = x\n", "include.path"),
        ('[includeIf "gitdir:/"]\n\tpath = x\n', "includeif.path"),
        ("[gpg]\n\tprogram = x\n", "gpg.program"),
        ("[format]\n\tpretty = %G?\n", "format.pretty"),
        ("[pretty]\n\tx = %G?\n", "pretty.x"),
        ("[new]\n\tthing = x\n", "new.thing"),
        ("[core]\n\tworktree = /\n", "another work tree"),
        ("#" + "x" * 200_000, "long"),
    ],
)
def test_whatever_else_is_configured_is_a_reason(text: str, reason: str, root: Path) -> None:
    with open(root / ".git/config", "a", encoding="utf-8", newline="") as config:
        config.write(text)
    if reason == "unusual" and text.startswith("\ufeff"):
        (root / ".git/config").write_text(text, encoding="utf-8")
    with pytest.raises(NotReadOnlyError, match=reason):
        find_repository(root, root)


def test_subfolder_uses_repository_of_parent_folder(root: Path) -> None:
    (root / "a/b").mkdir(parents=True)
    repository = find_repository(root / "a/b", root / "a")
    assert repository and repository.top == root


def test_no_repository_is_none(tmp_path: Path) -> None:
    assert find_repository(tmp_path, tmp_path) is None


def test_empty_git_folder_is_skipped(root: Path) -> None:
    (root / "sub/.git").mkdir(parents=True)
    repository = find_repository(root / "sub", root)
    assert repository and repository.top == root


def test_work_tree_is_accepted_only_linked_both_ways(root: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    repository = find_repository(tree, tree)
    assert repository and repository.common == root / ".git"
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_text((tree / ".git").read_text())
    with pytest.raises(NotReadOnlyError, match="outside the project"):
        find_repository(thief, thief)


@pytest.mark.parametrize("part", ["objects", "refs", "config", "objects/pack", "HEAD"])
def test_a_repository_of_links_is_a_reason(part: str, root: Path, tmp_path: Path) -> None:
    (root / ".git" / part).rename(tmp_path / "moved")
    (root / ".git" / part).symlink_to(tmp_path / "moved")
    with pytest.raises(NotReadOnlyError, match="is a symlink"):
        find_repository(root, root)


def test_a_shared_part_outside_is_a_reason(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (root / ".git/commondir").write_text(f"{other}/.git\n")
    with pytest.raises(NotReadOnlyError, match="outside the project"):
        find_repository(root, root)


def test_inside_of_git_folder_is_rejected(root: Path) -> None:
    with pytest.raises(NotReadOnlyError, match="as a repository"):
        find_repository(root / ".git", root)


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("https://example.org/x", False),
        ("git@example.org:x", False),
        ("ssh://git@example.org/x", False),
        ("https://me:token@example.org/x", True),
        ("https://ghp_0123456789abcdefghijklmnopqrstuvwxyz@example.org/x", True),
    ],
)
def test_an_address_with_a_password_is_noticed(url: str, holds: bool, root: Path) -> None:
    git(root, "config", "remote.origin.url", url)
    repository = find_repository(root, root)
    assert repository and repository.has_credentials == holds
    assert is_as_cloned(root / ".git/config") != holds


@pytest.mark.parametrize(
    "text",
    ["# token\n", "[http]\n\textraheader = x\n", '[remote "o"]\n\turl = https://e.org/?k=x\n', "x"],
)
def test_configuration_beyond_clone_defaults_is_not_shown(text: str, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(text)
    assert not is_as_cloned(tmp_path / "config")
