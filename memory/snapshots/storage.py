"""Storage of a folder's snapshots: its directory, the folder's name, and the writers' lock."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from ...config.security.file_lock import acquire_file_lock
from ...config.security.private_files import make_private_folder, open_private


def get_store_directory(folder: Path, stores: Path) -> Path:
    """Return the store of a folder, named by a hash of the folder's path.

    A worktree has its project's, so that their snapshots can be compared, and outlive it. The
    clones of one repository have one, too.
    """
    clones = Path(os.path.realpath(stores.parent)) / "workspaces"
    if folder.is_relative_to(clones) and len(parts := folder.relative_to(clones).parts) > 1:
        return stores / parts[1]
    worktrees = locate_worktrees(stores)
    if folder.is_relative_to(worktrees) and (below := folder.relative_to(worktrees).parts):
        return stores / below[0]
    return stores / hash_texts(str(folder))


def locate_worktrees(stores: Path) -> Path:
    """Return the folder of all worktrees: those of each project are in one named as its store."""
    return Path(os.path.realpath(stores.parent)) / "worktrees"


def locate_worktree(folder: Path, directory: Path) -> Path | None:
    """Return the folder that holds this worktree alone; None if the folder is in none.

    `directory` is the store's.
    """
    worktrees = locate_worktrees(directory.parent) / directory.name
    if not folder.is_relative_to(worktrees):
        return None
    return worktrees / folder.relative_to(worktrees).parts[0]


def hash_texts(*texts: str) -> str:
    """Return a short hash of texts."""
    return hashlib.sha256(b"\0".join(map(os.fsencode, texts))).hexdigest()[:16]


def note_folder(directory: Path, folder: Path) -> None:
    """Create the store's directory, private to the user, and record its folder."""
    make_private_folder(directory)
    write_atomically(directory / "folder", os.fsencode(folder))


def read_folder(directory: Path) -> Path | None:
    """Return the folder of a store; None if the store is older than this record."""
    try:
        return Path(os.fsdecode((directory / "folder").read_bytes()))
    except FileNotFoundError:
        return None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file unless it has this content; a power failure leaves the old or the new one."""
    if path.exists() and path.read_bytes() == content:
        return
    new = path.with_name(f"{path.name}.{os.getpid()}")
    with open(new, "wb", opener=open_private) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


@asynccontextmanager
async def lock_store(directory: Path) -> AsyncGenerator[int]:
    """Lock the store, and create its directory if missing; yields the lock's descriptor."""
    while True:
        async with AsyncExitStack() as stack:
            try:
                lock = await stack.enter_async_context(acquire_file_lock(directory / "lock"))
            except FileNotFoundError:  # a new store, or another process has just deleted it
                await asyncio.to_thread(make_private_folder, directory)
                continue
            if os.fstat(lock).st_nlink:  # otherwise it was deleted while we waited
                yield lock
                return
