"""How much the snapshots of folders take on the disk, and how to free what no history needs."""

import asyncio
import os
import re
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from .git_objects import with_parts
from .git_repository import GitFailed, GitStore, git_program
from .storage import folder_of, store_lock

RECENT = 3600.0
"""Seconds: what is younger stays, since a step that is under way may be about to name it."""


def sizes(stores: Path) -> dict[Path, int]:
    """For each folder with snapshots, the bytes that they take; `stores` holds all stores."""
    found: dict[Path, int] = {}
    for directory in _directories(stores):
        if folder := folder_of(directory):
            found[folder] = _size(directory)
    return found


async def prune(store: Path, keep: Collection[str], projects: Sequence[Path] = ()) -> int:
    """Free what neither a tree nor a blob of `keep` needs, nor the folder as it was seen last.

    `store` is `store_files.store_directory` of a folder. Returns the bytes freed. Snapshots may be
    taken meanwhile: what they use anew is `RECENT` then. `keep` must have every tree and blob that
    somebody may still ask for: of the histories, and of the last checkpoints. `projects`: no
    program of theirs is started.
    """
    if not await asyncio.to_thread(store.is_dir):
        return 0
    made_by_git = await asyncio.to_thread((store / "HEAD").exists)
    program = await asyncio.to_thread(git_program, *projects)
    if made_by_git and not program:
        return 0  # what its indexes and packs need only git can tell
    before = await asyncio.to_thread(_size, store)
    if made_by_git and program:
        git = GitStore(store, store, store, store / "no-index", program, projects)
        async with store_lock(store) as lock:
            last = await _trees_of_indexes(git, lock)
        needed, pack = await _packed(git, [*keep, *last])
    else:
        needed, pack = await asyncio.to_thread(with_parts, store / "objects", keep), None
    async with store_lock(store):
        if pack is not None:
            await asyncio.to_thread(_delete_packs, store, pack)
        await asyncio.to_thread(_delete_loose, store, needed, pack is not None)
    return max(0, before - await asyncio.to_thread(_size, store))


async def forget(stores: Path, needed: Callable[[], Collection[Path]]) -> int:
    """Remove all stores whose directory is not `needed`; returns the bytes freed.

    `needed` is asked again while a store is held: a thread that has begun meanwhile keeps its own.
    """
    freed = 0
    known = await asyncio.to_thread(needed)
    for directory in await asyncio.to_thread(_directories, stores):
        if directory in known:
            continue
        async with store_lock(directory):
            if directory in await asyncio.to_thread(needed):
                continue
            freed += await asyncio.to_thread(_size, directory)
            await asyncio.to_thread(shutil.rmtree, directory)
    return freed


async def _packed(store: GitStore, tips: Sequence[str]) -> tuple[set[str], str]:
    """Put all that is needed into one new pack: the ids of that, and the pack's name."""
    asked = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any")
    given = "".join(f"{tip}\n" for tip in tips).encode()
    listed = await store.git(*asked, "--ignore-missing", "--stdin", given=given)
    if not listed:
        return set(), ""
    pack = str(store.directory / "objects" / "pack" / "pack")
    name = (await store.git("pack-objects", "-q", pack, given=listed)).decode().strip()
    return set(listed.decode().split()), name


async def _trees_of_indexes(store: GitStore, lock: int) -> list[str]:
    """What the folder's snapshot was last; an index without its contents is forgotten."""
    trees = await asyncio.to_thread(_last_trees, store.directory)
    indexes = await asyncio.to_thread(lambda: list(store.directory.glob("index-" + "?" * 16)))
    for each in (replace(store, index=index) for index in indexes):
        await asyncio.to_thread(each.unlock_index)
        try:
            trees.append((await each.git("write-tree", keep=(lock,))).decode().strip())
        except GitFailed:
            await asyncio.to_thread(each.forget_index)
    return trees


def _last_trees(directory: Path) -> list[str]:
    named = [path.read_text() for path in directory.glob("last-index-*")]
    return [name for name in named if re.fullmatch(r"[0-9a-f]{40}", name)]


def _delete_packs(directory: Path, new: str) -> None:
    """Delete older packs, the list of what is in them first, so that a kill leaves no torn one."""
    old = [
        path
        for path in (directory / "objects" / "pack").iterdir()
        # of a pack whose content is stored again git makes the `.pack` young, and nothing else
        if path.stem != f"pack-{new}" and all(map(_is_old, {path, path.with_suffix(".pack")}))
    ]
    for path in sorted(old, key=lambda path: path.suffix != ".idx"):
        path.unlink(missing_ok=True)


def _delete_loose(directory: Path, needed: Collection[str], packed: bool) -> None:
    """Delete objects that nobody needs; those that are needed only where a pack has them."""
    for path in (directory / "objects").glob("??/*"):
        is_needed = path.parent.name + path.name in needed
        if packed if is_needed else _is_old(path):
            path.unlink(missing_ok=True)


def _is_old(path: Path) -> bool:
    """Whether nobody has used it lately, or it is gone."""
    try:
        return path.stat().st_mtime < time.time() - RECENT
    except FileNotFoundError:
        return True


def _directories(stores: Path) -> list[Path]:
    return [path for path in stores.iterdir() if path.is_dir()] if stores.is_dir() else []


def _size(directory: Path) -> int:
    """Bytes on the disk, whole blocks counted."""
    total = 0
    for above, _, names in os.walk(directory):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.lstat(os.path.join(above, name)).st_blocks * 512
    return total
