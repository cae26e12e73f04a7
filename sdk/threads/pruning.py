"""Deletion of data that no thread needs any more; does not load LangGraph."""

import shutil
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...config import paths
from ...config.errors import ThreadBusyError
from ...config.security.private_files import delete_folder
from ...memory.checkpoints.thread_facts import read_values
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.database.free_pages import release_pages
from ...memory.snapshots import garbage_collection
from ...memory.snapshots.storage import get_store_directory
from ...memory.threads import thread_id
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import acquire_lease
from ...memory.threads.record import ThreadRow
from ...memory.threads.sub_runs import ENDED
from ...memory.undo.history import FileHistory
from ...memory.worktrees.record import list_worktrees
from ...memory.worktrees.removal import (
    list_closed,
    list_prunable_worktrees,
    prune_worktrees,
    remove_closed,
)
from ...tools.testing.caches import locate_project_caches
from .children import AT_REST, list_children
from .disk_usage import measure_database, measure_folder

# Prefix of the name of a folder that an import fills with outputs
IMPORT = "import-"


def find_unused(rows: list[ThreadRow], days: float) -> list[ThreadRow]:
    """Return the threads that were last used that many days ago and are not running."""
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds")
    return [row for row in rows if row.updated_at < since and row.status != "running"]


async def prune_storage(home: Path) -> int:
    """Delete what no thread needs, abandoned branches included; return the bytes freed.

    Snapshots, outputs, backups and caches less than an hour old are kept: a running step may be
    about to reference them. A running thread is left unchanged.
    """
    index, before = ThreadIndex(home), measure_database(home)
    rows, freed = index.list(), 0
    for row in rows:
        with suppress(ThreadBusyError), acquire_lease(home, row.thread_id):
            index.compact(row.thread_id)
            freed += await _remove_closed_worktrees(home, row)
    threads = {row.thread_id for row in rows}
    freed += _delete_folders(home, threads) + _delete_test_caches(home, rows)
    freed += await _remove_worktrees(home, threads)
    stores = paths.ensure_data_folder(home) / "snapshots"
    freed += await garbage_collection.remove_unused_stores(
        stores, lambda: {_locate_store(row, stores) for row in index.list()}
    )
    projects = [Path.cwd(), *{Path(row.folder) for row in rows}]
    for store, keep in _collect_needed(home, stores, index.list()).items():
        freed += await garbage_collection.prune_store(store, keep, projects)
    path = paths.locate_database(home)
    with translate_sqlite_errors(path):
        release_pages(path)
    return freed + max(0, before - measure_database(home))


async def _remove_worktrees(home: Path, threads: set[str]) -> int:
    """Delete the worktrees of deleted threads and of killed processes; return the bytes freed."""
    freed = sum(measure_folder(path) for path in list_prunable_worktrees(home, threads))
    await prune_worktrees(home, threads)
    return freed


async def _remove_closed_worktrees(home: Path, row: ThreadRow) -> int:
    """Delete the worktrees of sub-agents that nobody continues; return the bytes freed.

    A killed or stopped thread needs that of a sub-agent which has not reported.
    """
    children = [] if row.status in AT_REST else list_children(row, home)
    open_keys = {child.sub_id for child in children if child.status not in ENDED}
    freed = sum(map(measure_folder, list_closed(home, row.thread_id, open_keys)))
    await remove_closed(home, row.thread_id, open_keys)
    return freed


def _locate_store(row: ThreadRow, stores: Path) -> Path:
    return get_store_directory(Path(row.folder).resolve(), stores)


def _collect_needed(home: Path, stores: Path, rows: list[ThreadRow]) -> dict[Path, set[str]]:
    """Return the trees and blobs that the threads of each store may need."""
    needed_objects: dict[Path, set[str]] = defaultdict(set)
    history, path = FileHistory(paths.locate_database(home)), paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        for row in rows:
            named = needed_objects[_locate_store(row, stores)]
            named.update(_iter_history_objects(history, row.thread_id))
            tree = read_values(connection, row.thread_id).get("tree")
            named.update([tree] if isinstance(tree, str) and tree else [])
    for worktree in list_worktrees(home):
        needed_objects[get_store_directory(worktree.project, stores)].add(worktree.base)
    return needed_objects


def _iter_history_objects(history: FileHistory, thread_id: str) -> Iterator[str]:
    for entry in history.list_entries(thread_id):
        yield from filter(None, (entry.before, entry.after))
        versions = (version for change in entry.changes for version in (change.old, change.new))
        yield from (version.blob for version in versions if version.has_content)


def _delete_folders(home: Path, threads: set[str]) -> int:
    """Delete the folders of deleted threads and of killed imports."""
    freed = 0
    for kind in paths.THREAD_FOLDERS:
        above = kind(home, "any").parent
        for folder in above.iterdir() if above.is_dir() else ():
            name = folder.name.removeprefix(IMPORT)
            if thread_id.is_thread_id(name) and folder.name not in threads and _is_old(folder):
                freed += measure_folder(folder)
                delete_folder(folder)
    return freed


def _delete_test_caches(home: Path, rows: list[ThreadRow]) -> int:
    """Delete the caches of tests in folders that are gone or have no threads."""
    folders = {Path(row.folder) for row in rows}
    current_caches = {locate_project_caches(folder, home) for folder in folders if folder.is_dir()}
    above, freed = paths.locate_test_caches(home), 0
    for caches in above.iterdir() if above.is_dir() else ():
        if caches not in current_caches and _is_old(caches):
            freed += measure_folder(caches)
            shutil.rmtree(caches, ignore_errors=True)
    return freed


def _is_old(folder: Path) -> bool:
    """Return whether the folder is old: not of a thread created meanwhile, and not deleted."""
    with suppress(FileNotFoundError):
        return folder.stat().st_mtime < time.time() - garbage_collection.RECENT
    return False
