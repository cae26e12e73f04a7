"""Move of a thread to another folder: its list entry, its states and its snapshots."""

import asyncio
import os
from pathlib import Path

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import load_settings
from ...config.text import text
from ...memory.snapshots.object_copies import copy_objects
from ...memory.snapshots.storage import get_store_directory, locate_worktrees
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import acquire_lease
from ...memory.threads.record import ThreadRow
from ...memory.threads.sub_runs import ENDED, SubRuns
from ...memory.undo.history import FileHistory
from ...tools.filesystem.project_snapshots import open_snapshots
from .workspace import fetch_thread_files


async def move_thread(row: ThreadRow, home: Path, folder: Path) -> ThreadRow:
    """Move the thread to the folder, all of it or nothing; trust is not moved.

    Raises UsageError if it cannot move, ThreadBusyError while it runs.
    """
    target = Path(os.path.realpath(folder))
    if not target.is_dir():
        raise UsageError(
            text("`{folder}` is not a folder", folder=folder), hint="give the project folder"
        )
    stores = paths.ensure_data_folder(home) / "snapshots"
    with acquire_lease(home, row.thread_id):
        _check_worktrees(row, home, target, locate_worktrees(stores))
        source_store = get_store_directory(Path(row.folder), stores)
        # first: objects that no history names yet are harmless
        await copy_objects(source_store, get_store_directory(target, stores))
        index = ThreadIndex(home)
        await _fetch_files(row.thread_id, home, target)
        await asyncio.to_thread(index.move, row.thread_id, row.folder, str(target))
        return index.get(row.thread_id)


async def _fetch_files(thread_id: str, home: Path, target: Path) -> None:
    """Bring what another machine has changed, where a storage is configured."""
    settings = load_settings(target, home).settings
    if not settings.storage:
        return
    history = FileHistory(paths.locate_database(home))
    snapshots = open_snapshots(target, home, settings)
    await fetch_thread_files(thread_id, str(target), home, snapshots, history)


def _check_worktrees(row: ThreadRow, home: Path, target: Path, worktrees: Path) -> None:
    """Raise UsageError where a worktree would lose its project."""
    if any(path.is_relative_to(worktrees) for path in (Path(row.folder), target)):
        raise UsageError(
            "the thread works in a worktree of MaxAgent, which cannot move",
            hint="move the thread that it belongs to",
        )
    children = SubRuns(paths.locate_database(home)).list_sub_runs(row.thread_id)
    if any(child.worktree and child.status not in ENDED for child in children):
        raise UsageError(
            "a sub-agent of the thread still works in a worktree of the old folder",
            hint="move the folder back, and end the sub-agent with `mcode resume`",
        )
