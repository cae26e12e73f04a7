"""Disk usage of snapshots, and deletion of objects that no history needs."""

import asyncio
import os
import re
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from .git_objects import collect_object_ids
from .git_repository import GitCommandError, GitStore, find_git, run_in_thread
from .storage import lock_store, read_folder

# Seconds; newer objects are kept, since a running step may be about to reference them
RECENT = 3600.0


def measure_stores(stores: Path) -> dict[Path, int]:
    """Return the bytes that the snapshots of each folder use; `stores` contains all stores."""
    sizes: dict[Path, int] = {}
    for directory in _list_stores(stores):
        if folder := read_folder(directory):
            sizes[folder] = _measure_size(directory)
    return sizes


async def prune_store(store: Path, keep: Collection[str], projects: Sequence[Path] = ()) -> int:
    """Delete the objects that neither `keep` nor the folder's last snapshot needs.

    `store` is the store directory of a folder. Returns the bytes freed. Snapshots may be taken
    meanwhile: objects that they reuse are `RECENT` and are kept. `keep` must list every tree and
    blob still in use by the histories and the last checkpoints. A git inside `projects` is never
    run.
    """
    if not await asyncio.to_thread(store.is_dir):
        return 0
    made_by_git = await asyncio.to_thread((store / "HEAD").exists)
    program = await asyncio.to_thread(find_git, *projects)
    if made_by_git and not program:
        return 0  # only git can list what its indexes and packs need
    before = await asyncio.to_thread(_measure_size, store)
    if made_by_git and program:
        git = GitStore(store, store, store, store / "no-index", program, projects)
        async with lock_store(store) as lock:
            last = await run_in_thread(_write_index_trees, git, lock)
        needed_ids, pack = await run_in_thread(_pack_needed, git, [*keep, *last])
    else:
        needed_ids, pack = (
            await asyncio.to_thread(collect_object_ids, store / "objects", keep),
            None,
        )
    async with lock_store(store):
        if pack is not None:
            await run_in_thread(_delete_packs, store, pack)
        await run_in_thread(_delete_loose, store, needed_ids, pack is not None)
    return max(0, before - await asyncio.to_thread(_measure_size, store))


async def remove_unused_stores(
    stores: Path, find_needed_stores: Callable[[], Collection[Path]]
) -> int:
    """Delete all stores whose directory is not needed; return the bytes freed.

    `find_needed_stores` is called again with the store locked: a new thread keeps its store.
    """
    freed = 0
    needed_stores = await asyncio.to_thread(find_needed_stores)
    for directory in await asyncio.to_thread(_list_stores, stores):
        if directory in needed_stores:
            continue
        async with lock_store(directory):
            if directory in await asyncio.to_thread(find_needed_stores):
                continue
            freed += await asyncio.to_thread(_measure_size, directory)
            await run_in_thread(shutil.rmtree, directory)
    return freed


def _pack_needed(store: GitStore, tips: Sequence[str]) -> tuple[set[str], str]:
    """Pack all needed objects into one new pack; return their IDs and the pack's name."""
    asked = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any")
    tip_lines = "".join(f"{tip}\n" for tip in tips).encode()
    id_lines = store.run_git(*asked, "--ignore-missing", "--stdin", stdin=tip_lines)
    if not id_lines:
        return set(), ""
    pack = str(store.directory / "objects" / "pack" / "pack")
    name = store.run_git("pack-objects", "-q", pack, stdin=id_lines).decode().strip()
    return set(id_lines.decode().split()), name


def _write_index_trees(store: GitStore, lock: int) -> list[str]:
    """Write the folder's last snapshot as trees; reset an index whose contents are lost."""
    trees = _read_last_trees(store.directory)
    indexes = list(store.directory.glob("index-" + "?" * 16))
    for each in (replace(store, index=index) for index in indexes):
        each.unlock_index()
        try:
            trees.append(each.run_git("write-tree", keep=(lock,)).decode().strip())
        except GitCommandError:
            each.forget_index()
    return trees


def _read_last_trees(directory: Path) -> list[str]:
    named = [path.read_text() for path in directory.glob("last-index-*")]
    return [name for name in named if re.fullmatch(r"[0-9a-f]{40}", name)]


def _delete_packs(directory: Path, new: str) -> None:
    """Delete older packs, each pack's index first, so that a kill leaves no broken pack."""
    old = [
        path
        for path in (directory / "objects" / "pack").iterdir()
        # when content is stored again, git updates the time of its `.pack` only
        if path.stem != f"pack-{new}" and all(map(_is_old, {path, path.with_suffix(".pack")}))
    ]
    for path in sorted(old, key=lambda path: path.suffix != ".idx"):
        path.unlink(missing_ok=True)


def _delete_loose(directory: Path, needed_ids: Collection[str], packed: bool) -> None:
    """Delete unneeded loose objects; delete needed ones only if a pack has them."""
    for path in (directory / "objects").glob("??/*"):
        is_needed = path.parent.name + path.name in needed_ids
        if packed if is_needed else _is_old(path):
            path.unlink(missing_ok=True)


def _is_old(path: Path) -> bool:
    """Return whether the file was not used recently, or is gone."""
    try:
        return path.stat().st_mtime < time.time() - RECENT
    except FileNotFoundError:
        return True


def _list_stores(stores: Path) -> list[Path]:
    return [path for path in stores.iterdir() if path.is_dir()] if stores.is_dir() else []


def _measure_size(directory: Path) -> int:
    """Return the bytes used on disk, in whole blocks."""
    total = 0
    for above, _, names in os.walk(directory):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(above, name)).st_blocks * 512
    return total
