"""Removal of worktrees, including those that are left over."""

import asyncio
import os
import shutil
import stat
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.security.file_lock import acquire_file_lock
from ..snapshots.git_repository import run_in_thread
from ..snapshots.store import Snapshots
from .record import Worktree, delete_record, list_containers, list_worktrees, read_record


async def remove_worktree(snapshots: Snapshots, worktree: Worktree) -> None:
    """Delete a worktree with all files in it; do nothing if it is gone.

    `snapshots` are the project's; they keep the worktree's snapshots.
    """
    copy_snapshots = snapshots.open_for_folder(worktree.folder)
    async with acquire_file_lock(locate_lock(worktree.container)):
        await run_in_thread(copy_snapshots.git_files.forget_folder)
        await run_in_thread(delete_container, worktree.container)
        locate_lock(worktree.container).unlink(missing_ok=True)


async def prune_worktrees(home: Path, threads: Collection[str]) -> int:
    """Delete incomplete worktrees, and those of other threads than these; return their number."""

    def is_orphan(worktree: Worktree | None) -> bool:
        return worktree is None or worktree.thread_id not in threads

    containers = await asyncio.to_thread(lambda: list(list_containers(home)))
    return sum([await _remove_container(container, is_orphan) for container in containers])


async def _remove_container(container: Path, is_orphan: Callable[[Worktree | None], bool]) -> bool:
    """Delete a worktree if it is left over; return whether it was."""
    with suppress(MaxAgentError):  # being made right now
        async with acquire_file_lock(locate_lock(container)):
            if is_orphan(await asyncio.to_thread(read_record, container)):
                await run_in_thread(delete_container, container)
                locate_lock(container).unlink(missing_ok=True)
                return True
    return False


async def remove_closed(home: Path, thread_id: str, open_keys: Collection[str]) -> None:
    """Delete a thread's worktrees with other keys than these; the thread must not be running."""
    for container in await asyncio.to_thread(list_closed, home, thread_id, open_keys):
        await _remove_container(container, lambda worktree: worktree is not None)


def list_closed(home: Path, thread_id: str, open_keys: Collection[str]) -> list[Path]:
    """List the folders that `remove_closed` would delete; never those that a thread works in."""
    return [
        worktree.container
        for worktree in list_worktrees(home)
        if worktree.thread_id == thread_id
        and worktree.key not in open_keys
        and not worktree.has_own_thread
    ]


def list_prunable_worktrees(home: Path, threads: Collection[str]) -> list[Path]:
    """List the folders that `prune_worktrees` would delete; one may be under construction."""
    records = [(container, read_record(container)) for container in list_containers(home)]
    return [
        path for path, worktree in records if worktree is None or worktree.thread_id not in threads
    ]


def delete_container(container: Path) -> None:
    """Delete a worktree's folder, including read-only folders in it."""
    delete_record(container)
    try:
        shutil.rmtree(container)
    except FileNotFoundError:
        return
    except PermissionError:  # a read-only folder
        for folder, _, _ in os.walk(container):
            with suppress(OSError):
                os.chmod(folder, stat.S_IRWXU)
        shutil.rmtree(container, ignore_errors=True)


def locate_lock(container: Path) -> Path:
    """Return the lock that guards the creation and removal of a worktree."""
    return container.with_suffix(".lock")
