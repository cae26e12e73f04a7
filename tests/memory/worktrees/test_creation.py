import os
import subprocess
from pathlib import Path

import pytest
from recorded_project import THREAD, tree
from worktree_project import WorktreeProject, git, write_files

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.worktrees.creation import create_worktree

FILES = {"a.py": "a = 1\n", "sub/b.txt": "b\n", ".gitignore": "*.log\nnode_modules/\n.env\n"}


@pytest.fixture
def project(tmp_path: Path) -> WorktreeProject:
    project = WorktreeProject(tmp_path, FILES)
    project.commit()
    return project


async def test_worktree_has_uncommitted_files_and_no_ignored(project: WorktreeProject) -> None:
    write_files(project.folder, {"a.py": "a = 2\n", "new.py": "", "x.log": "", ".env": "KEY=1"})
    worktree = await project.branch_off()
    assert worktree.folder.name == "project"
    assert tree(worktree.folder).keys() == {"a.py", "new.py", "sub/b.txt", ".gitignore"}
    assert (worktree.folder / "a.py").read_text() == "a = 2\n"


@pytest.mark.parametrize("command", ["status --porcelain", "diff", "diff --cached", "log --all -1"])
async def test_git_answers_as_in_the_project(command: str, project: WorktreeProject) -> None:
    git(project.folder, "branch", "other")
    write_files(project.folder, {"a.py": "a = 2\n", "new.py": "", "sub/b.txt": None})
    write_files(project.folder, {"staged.py": "s\n"})
    git(project.folder, "add", "staged.py")
    worktree = await project.branch_off()
    expected = git(project.folder, *command.split())
    assert expected and git(worktree.folder, *command.split()) == expected


async def test_commit_in_worktree_leaves_repository_as_it_is(project: WorktreeProject) -> None:
    hook = project.folder / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)
    before = git(project.folder, "for-each-ref"), git(project.folder, "count-objects")
    worktree = await project.branch_off()
    write_files(worktree.folder, {"a.py": "a = 3\n"})
    git(worktree.folder, "commit", "-qam", "apart")
    git(worktree.folder, "branch", "apart")
    assert (git(project.folder, "for-each-ref"), git(project.folder, "count-objects")) == before
    assert git(project.folder, "worktree", "list").count("\n") == 1
    assert git(worktree.folder, "log", "--format=%s").split() == ["apart", "first"]


async def test_first_snapshot_of_worktree_is_the_base(project: WorktreeProject) -> None:
    (project.folder / "sub").chmod(0o750)
    (project.folder / "a.py").chmod(0o600)
    (project.folder / "run.sh").write_text("")
    (project.folder / "run.sh").chmod(0o755)
    (project.folder / "link").symlink_to("a.py")
    (project.folder / "empty").mkdir()
    worktree = await project.branch_off()
    assert tree(worktree.folder) == tree(project.folder)
    assert await project.snapshots.open_for_folder(worktree.folder).take() == worktree.base


async def test_detached_head_and_unborn_branch_are_copied(tmp_path: Path) -> None:
    project = WorktreeProject(tmp_path, FILES)
    git(project.folder, "init", "-q", "-b", "trunk")
    worktree = await project.branch_off("unborn")
    assert "No commits yet" in git(worktree.folder, "status")
    project.commit()
    git(project.folder, "checkout", "-q", "--detach")
    worktree = await project.branch_off("detached")
    assert git(worktree.folder, "rev-parse", "HEAD") == git(project.folder, "rev-parse", "HEAD")
    assert git(worktree.folder, "branch", "--show-current") == ""


async def test_project_without_repository_is_a_plain_folder(tmp_path: Path) -> None:
    project = WorktreeProject(tmp_path, FILES)
    worktree = await project.branch_off()
    assert tree(worktree.folder).keys() == FILES.keys()
    assert not (worktree.folder / ".git").exists()


async def test_repository_that_ignores_the_project_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write_files(tmp_path, {".gitignore": "*\n"})
    project = WorktreeProject(tmp_path, {"a.py": "a\n"})
    worktree = await project.branch_off()
    assert worktree.repository is None
    assert await project.snapshots.open_for_folder(worktree.folder).take() == worktree.base


async def test_project_in_subfolder_has_its_neighbours_linked(tmp_path: Path) -> None:
    top = tmp_path / "repository"
    write_files(top, {"packages/shared/s.js": "s\n", "package.json": "{}", "README": "r\n"})
    write_files(top, {"packages/app/a.js": "a\n", ".env": "KEY=1"})
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "first")
    folder = top / "packages" / "app"
    snapshots = Snapshots(folder, tmp_path / "data" / "snapshots", (".env",))
    base = await snapshots.take()
    worktree = await create_worktree(
        snapshots, thread_id=THREAD, key="k", tree=base, sandboxed=True
    )
    assert worktree.folder == worktree.top / "packages" / "app"
    assert (worktree.folder / "../shared/s.js").read_text() == "s\n"
    assert not (worktree.top / ".env").exists()
    assert git(worktree.folder, "status", "--porcelain") == ""
    write_files(worktree.folder, {"a.js": "b\n"})
    assert git(worktree.folder, "status", "--porcelain") == " M packages/app/a.js\n"


async def test_secret_that_git_tracks_is_not_copied(tmp_path: Path) -> None:
    project = WorktreeProject(tmp_path, {"a.py": "a\n", "key.pem": "secret"})
    project.commit()
    worktree = await project.branch_off()
    assert tree(worktree.folder).keys() == {"a.py"}
    assert git(worktree.folder, "status", "--porcelain") == ""


async def test_large_tracked_file_is_at_hand(project: WorktreeProject) -> None:
    with (project.folder / "large.bin").open("wb") as file:
        file.truncate(20_000_001)
    git(project.folder, "add", "large.bin")
    worktree = await project.branch_off()
    assert (worktree.folder / "large.bin").stat().st_size == 20_000_001
    write_files(worktree.folder, {"a.py": "a = 9\n"})
    assert (await project.merge(worktree)).paths == ("a.py",)


async def test_same_key_returns_the_same_worktree(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    write_files(worktree.folder, {"made": "here"})
    write_files(project.folder, {"later": "there"})
    assert await project.branch_off() == worktree
    assert (worktree.folder / "made").exists() and not (worktree.folder / "later").exists()
    other = await project.branch_off("two")
    assert other.folder != worktree.folder and (other.folder / "later").exists()


async def test_half_made_worktree_is_made_again(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    (worktree.container / "record.json").unlink()
    write_files(worktree.folder, {"half": "made"})
    os.chmod(worktree.folder / "sub", 0o500)
    assert await project.branch_off() == worktree
    assert not (worktree.folder / "half").exists()


async def test_repository_of_newer_format_is_copied(project: WorktreeProject) -> None:
    git(project.folder, "pack-refs", "--all")
    git(project.folder, "update-index", "--split-index")
    git(project.folder, "config", "extensions.worktreeConfig", "true")
    git(project.folder, "config", "core.repositoryformatversion", "1")
    worktree = await project.branch_off()
    assert git(worktree.folder, "status", "--porcelain") == ""


async def test_missing_git_is_an_error(
    project: WorktreeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    snapshots = Snapshots(project.folder, project.home / "other" / "snapshots", ())
    with pytest.raises(MaxAgentError, match="needs git"):
        await create_worktree(snapshots, thread_id=THREAD, key="k", tree="0" * 40, sandboxed=True)


async def test_hooks_of_the_user_never_run(project: WorktreeProject) -> None:
    hooks = project.folder / ".git" / "hooks"
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {project.home}/ran\n")
        (hooks / name).chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", hooks / "post-checkout"], cwd=project.folder)
    await project.branch_off()
    assert not (project.home / "ran").exists()
