"""A repository whose own files lead to a secret, or to somebody else's repository."""

import os
import subprocess
from pathlib import Path

import pytest
from worktree_project import WorktreeProject

from maxagent.tools.builtin.shell.git_tools import git_branch, git_diff, git_log, git_status
from maxagent.tools.git.git_dirs import UnsupportedGitDirError, find_git_dirs
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

SECRET = "ENVSECRET=abc"
LINKS = [
    *("packed-refs", "shallow", "info/grafts", "objects/info/alternates", "MERGE_HEAD"),
    *("rebase-merge/done", "rebase-merge/git-rebase-todo", "rebase-merge/head-name"),
    *("rebase-merge/onto", "rebase-apply/head-name", "worktrees/w/gitdir", "worktrees/w/locked"),
    *("HEAD", "config", "commondir", "index", "refs/heads/x", "refs/heads/objects/ab/x"),
    *("refs/hooks/x", "objects/ab", "modules/sub/packed-refs"),
    "modules/sub/refs/heads/objects/ab/x",
]
LINES = ["git status", "git diff", "git log", "git branch", "git blame a.txt", "git worktree list"]


def git(folder: Path, *arguments: str) -> None:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    allowed = ["-c", "protocol.file.allow=always"]
    # a fixed date gives each object a fixed name: none of them is in `objects/ab`
    dates = {"GIT_AUTHOR_DATE": "2026-01-01T00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00Z"}
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    environment = {**os.environ, **quiet, **dates}
    command = ["git", "-C", folder, *person, *allowed, *arguments]
    subprocess.run(command, env=environment, check=True, capture_output=True)


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "First")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = made(tmp_path / "project")
    (root / ".env").write_text(SECRET)
    return root


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return made(tmp_path / "other")


def link(target_path: Path, target: Path) -> None:
    target_path.parent.mkdir(parents=True, exist_ok=True)
    target_path.unlink(missing_ok=True)
    target_path.symlink_to(os.path.relpath(target, target_path.parent))


async def answers(root: Path) -> list[CallResult]:
    run = ToolRun(Workspace(root), "c", root)
    return [await invoke(tool, {}, run) for tool in (git_status, git_diff, git_log, git_branch)]


def verdicts(root: Path, *lines: str) -> set[str | None]:
    return {analyze_command(line, str(root), Workspace(root)).verdict for line in lines or LINES}


async def is_kept_from_git(root: Path, reason: str) -> bool:
    refused = [
        not answer.ok and reason in answer.error and SECRET not in answer.error
        for answer in await answers(root)
    ]
    return all(refused) and "allow" not in verdicts(root)


async def is_read(root: Path) -> bool:
    return all(answer.ok for answer in await answers(root)) and verdicts(root) == {"allow"}


@pytest.mark.parametrize("name", LINKS)
async def test_link_in_git_folder_blocks_git(name: str, root: Path) -> None:
    assert await is_read(root)
    link(root / ".git" / name, root / ".env")
    assert await is_kept_from_git(root, "")


@pytest.mark.parametrize("name", ["hooks/pre-commit", "lfs", "objects/ab/cd"])
async def test_link_in_unquoted_place_is_harmless(name: str, root: Path) -> None:
    link(root / ".git" / name, root / ".env")
    assert await is_read(root)


@pytest.mark.parametrize("kind", ["link", "file", "commondir"])
async def test_a_repository_of_somebody_else_is_not_read(
    kind: str, root: Path, other: Path
) -> None:
    location = root / ".git"
    if kind in ("link", "file"):
        location.rename(root.parent / "moved")
    if kind == "link":
        location.symlink_to(other / ".git")
    elif kind == "file":
        location.write_text(f"gitdir: {other}/.git\n")
    else:
        (location / "commondir").write_text(f"{other}/.git\n")
    assert await is_kept_from_git(root, "is outside the project")


@pytest.mark.parametrize("how", ["--shared", "--reference", "--dissociate", "twice", "relative"])
async def test_clone_that_borrows_objects_is_read(how: str, root: Path, other: Path) -> None:
    clone = root.parent / "clone"
    names = ["--reference", str(other)] if how in ("--reference", "--dissociate") else []
    kind = {"--reference": [], "--dissociate": ["--dissociate"]}.get(how, ["--shared"])
    git(root.parent, "clone", "-q", *kind, *names, str(other), str(clone))
    if how == "twice":
        git(root.parent, "clone", "-q", "--shared", str(clone), str(root.parent / "second"))
        clone = root.parent / "second"
    if how == "relative":
        (clone / ".git/objects/info/alternates").write_text("../../../other/.git/objects\n")
    assert all(answer.ok for answer in await answers(clone))


@pytest.mark.parametrize("kind", ["missing", "folder", "home", "secret", "behind"])
async def test_objects_of_no_plain_repository_are_refused(
    kind: str, root: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = root.parent / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MAXAGENT_HOME", str(home / ".maxagent"))
    places = {
        "missing": root.parent / "nowhere/objects",
        "folder": root.parent / "plain/objects",
        "home": home / ".maxagent/data/snapshots/a/objects",
        "secret": home / ".ssh/store/objects",
        "behind": other / ".git/objects",
    }
    if kind != "missing":
        places[kind].mkdir(parents=True, exist_ok=True)
    if kind in ("home", "secret"):
        (places[kind].parent / "HEAD").write_text("ref: refs/heads/main\n")
    if kind == "behind":
        (other / ".git/objects/info/alternates").write_text("/nowhere/objects\n")
    (root / ".git/objects/info/alternates").write_text(f"{places[kind]}\n")
    assert all("borrows" in answer.error for answer in await answers(root))


async def test_work_trees_submodules_and_subfolders_are_read(root: Path, other: Path) -> None:
    git(root, "worktree", "add", "-q", str(root.parent / "tree"))
    git(root, "submodule", "add", "-q", str(other), "sub")
    git(root, "commit", "-q", "-m", "Second")
    for project in (root.parent / "tree", root / "sub"):
        assert await is_read(project)
    assert all(answer.ok for answer in await answers(root))
    assert verdicts(root, "git log", "git diff --ignore-submodules") == {"allow"}
    (root / "folder").mkdir()
    assert all(answer.ok for answer in await answers(root / "folder"))


async def test_only_a_worktree_of_ours_borrows_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = WorktreeProject(tmp_path, {"a.txt": "a\n"})
    project.commit()
    worktree = await project.branch_off()
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    assert await is_read(worktree.folder)
    with (worktree.folder / ".git/objects/info/alternates").open("a") as file:
        file.write("/elsewhere/objects\n")
    assert await is_kept_from_git(worktree.folder, "borrows")
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "other"))
    assert await is_kept_from_git(worktree.folder, "borrows")


async def test_links_in_submodule_block_git(root: Path) -> None:
    made(root / "sub")
    git(root, "add", "sub")
    line = "git status --ignore-submodules=all"
    assert (await answers(root))[0].ok and verdicts(root, line) == {"allow"}
    link(root / "sub/.git/packed-refs", root / ".env")
    (root / "sub/.git/refs/heads/main").unlink()
    assert all("is a symlink" in answer.error for answer in await answers(root))
    assert verdicts(root, line, "git ls-files -m", "git diff --ignore-submodules") <= {"ask", None}


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    (root / ".git/HEAD").unlink()
    os.mkfifo(root / ".git/HEAD")
    with pytest.raises(UnsupportedGitDirError, match="damaged"):
        find_git_dirs(root, root)
