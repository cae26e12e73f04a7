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
    snapshots: Snapshots,
    *,
    thread_id: str,
    key: str,
    tree: str,
    sandboxed: bool,
    has_own_thread: bool = False,
) -> Worktree:
    """Return the worktree of this thread and key; create it from the snapshot if there is none.

    `snapshots` are the project's. The worktree gets the files of the snapshot `tree`, and the
    dependencies that git ignores. `sandboxed`: commands in it cannot write elsewhere;
    `has_own_thread`: another thread than `thread_id` works in it. An incomplete worktree of a
    killed process is created again. Raises MaxAgentError without git, or on a full disk.
    """
    container = locate_worktree(snapshots.directory, thread_id, key)
    await asyncio.to_thread(make_private_folder, container.parent)
    async with acquire_file_lock(locate_lock(container)):
        if (existing := await asyncio.to_thread(read_record, container)) is not None:
            return existing
        await asyncio.to_thread(delete_container, container)
        try:
            owner = (thread_id, key, has_own_thread)
            return await _create(snapshots, container, owner, tree, sandboxed)
        except BaseException:
            await asyncio.to_thread(delete_container, container)
            raise


async def _create(
    snapshots: Snapshots,
    container: Path,
    owner: tuple[str, str, bool],
    tree: str,
    sandboxed: bool,
) -> Worktree:
    project, exclusions = snapshots.folder, snapshots.exclusions
    repository = await snapshots.git_files.find_repository()
    source_top = repository or project
    top = container / (source_top.name or "root")
    folder = top / project.relative_to(source_top)
    await asyncio.to_thread(make_private_folder, folder)
    objects = None
    if repository:
        objects = await asyncio.to_thread(copy_git_dir, repository, top, _find_program(project))
    copy_snapshots = snapshots.open_for_folder(folder)
    files = await copy_snapshots.git_files.check_out(tree)
    worktree = Worktree(folder, top, project, repository, objects, tree, *owner)
    if repository:
        await asyncio.to_thread(
            _complete_repository, worktree, files, exclusions, sandboxed=sandboxed
        )
    ignored = await snapshots.git_files.list_ignored()
    await asyncio.to_thread(
        provide_dependencies, ignored, project, folder, exclusions, use_links=sandboxed
    )
    await asyncio.to_thread(save_record, worktree)
    return worktree


def _find_program(project: Path) -> str:
    return find_git(project) or "git"


def _complete_repository(
    worktree: Worktree, files: Sequence[str], exclusions: Exclusions, *, sandboxed: bool
) -> None:
    """Hide from git the files that the snapshot does not have; add large files and neighbours."""
    repository = worktree.repository or worktree.project
    missing_files = hide_missing_files(worktree, files, _find_program(worktree.project))
    copy_large_files(missing_files, worktree.project, worktree.folder, exclusions)
    if sandboxed and worktree.folder != worktree.top:
        neighbours = link_neighbours(repository, worktree, exclusions)
        exclude_paths(worktree.top, neighbours)
