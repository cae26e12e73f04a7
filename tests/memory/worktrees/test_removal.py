import os
from pathlib import Path

import pytest
from recorded_project import THREAD
from worktree_project import WorktreeProject, write_files

from maxagent.memory.worktrees.record import find_worktree, list_containers
from maxagent.memory.worktrees.removal import (
    list_prunable_worktrees,
    prune_worktrees,
    remove_worktree,
)


@pytest.fixture
def project(tmp_path: Path) -> WorktreeProject:
    project = WorktreeProject(tmp_path, {"a.txt": "a\n", "sub/b.txt": "b\n"})
    project.commit()
    return project


async def test_removal_leaves_nothing_but_snapshots(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    write_files(worktree.folder, {"new": "n\n"})
    result = await project.merge(worktree)
    os.chmod(worktree.folder / "sub", 0o500)
    await remove_worktree(project.snapshots, worktree)
    await remove_worktree(project.snapshots, worktree)
    assert list(list_containers(project.home)) == []
    assert not list(worktree.container.parent.iterdir())
    assert len(list(project.snapshots.directory.glob("index-*"))) == 1
    assert "+n" in await project.snapshots.diff(worktree.base, result.tree)


async def test_only_worktrees_of_missing_threads_are_left_over(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    half = await project.branch_off("half")
    (half.container / "record.json").unlink()
    assert list_prunable_worktrees(project.home, {THREAD}) == [half.container]
    assert await prune_worktrees(project.home, {THREAD}) == 1
    assert list(list_containers(project.home)) == [worktree.container]
    assert await prune_worktrees(project.home, set()) == 1
    assert list(list_containers(project.home)) == []


async def test_packages_behind_links_survive_the_removal(project: WorktreeProject) -> None:
    write_files(project.folder, {".gitignore": "node_modules/\n", "node_modules/one/i.js": "1"})
    worktree = await project.branch_off()
    await remove_worktree(project.snapshots, worktree)
    assert (project.folder / "node_modules/one/i.js").read_text() == "1"


async def test_folder_in_worktree_names_its_project(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    for folder in (worktree.folder, worktree.folder / "sub"):
        assert find_worktree(folder, project.home) == worktree
    for folder in (project.folder, worktree.container, worktree.container.parent):
        assert find_worktree(folder, project.home) is None
