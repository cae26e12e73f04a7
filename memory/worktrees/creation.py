"""Creation of a worktree from a snapshot of a project."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ...config.security.file_lock import acquire_file_lock
from ...config.security.private_files import make_private_folder
from ..snapshots.exclusions import Exclusions
from ..snapshots.git_repository import find_git
from ..snapshots.store import Snapshots
from .dependencies import copy_large_files, provide_dependencies
from .folder_links import link_neighbours
from .git_copy import copy_git_dir, exclude_paths, hide_missing_files
from .record import Worktree, locate_worktree, read_record, save_record
from .removal import delete_container, locate_lock


async def create_worktree(
    snapshots: Snapshots, *, thread_id: str, key: str, tree: str, sandboxed: bool
) -> Worktree:
    """Return the worktree of this thread and key; create it from the snapshot if there is none.

    `snapshots` are the project's. Its files are those of the snapshot `tree`; dependencies that git
    ignores are at hand. `sandboxed`: commands in it cannot write elsewhere. One that a killed
    process left half-made is made again. Raises MaxAgentError without git, or on a full disk.
    """
    container = locate_worktree(snapshots.directory, thread_id, key)
    await asyncio.to_thread(make_private_folder, container.parent)
    async with acquire_file_lock(locate_lock(container)):
        if (known := await asyncio.to_thread(read_record, container)) is not None:
            return known
        await asyncio.to_thread(delete_container, container)
        try:
            return await _create(snapshots, container, thread_id, key, tree, sandboxed)
        except BaseException:
            await asyncio.to_thread(delete_container, container)
            raise


async def _create(
    snapshots: Snapshots, container: Path, thread_id: str, key: str, tree: str, sandboxed: bool
) -> Worktree:
    project, out = snapshots.folder, snapshots.exclusions
    repository = await snapshots.git_files.find_repository()
    above = repository or project
    top = container / (above.name or "root")
    folder = top / project.relative_to(above)
    await asyncio.to_thread(make_private_folder, folder)
    objects = None
    if repository:
        objects = await asyncio.to_thread(copy_git_dir, repository, top, _find_program(project))
    beside = snapshots.open_beside(folder)
    files = await beside.git_files.check_out(tree)
    worktree = Worktree(folder, top, project, repository, objects, tree, thread_id, key)
    if repository:
        await asyncio.to_thread(_complete_repository, worktree, files, out, sandboxed=sandboxed)
    ignored = await snapshots.git_files.list_ignored()
    await asyncio.to_thread(provide_dependencies, ignored, project, folder, out, linked=sandboxed)
    await asyncio.to_thread(save_record, worktree)
    return worktree


def _find_program(project: Path) -> str:
    return find_git(project) or "git"


def _complete_repository(
    worktree: Worktree, files: Sequence[str], out: Exclusions, *, sandboxed: bool
) -> None:
    """Make git agree with the files that are not in the snapshot; bring those that belong to it."""
    repository = worktree.repository or worktree.project
    left_out = hide_missing_files(worktree, files, _find_program(worktree.project))
    copy_large_files(left_out, worktree.project, worktree.folder, out)
    if sandboxed and worktree.folder != worktree.top:
        names = link_neighbours(repository, worktree, out)
        exclude_paths(worktree.top, names)
