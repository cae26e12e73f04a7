"""Where the snapshots of a folder are kept, whose they are, and one writer at a time."""

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from ...config.security.private_files import make_private_folder, open_private
from ..file_lock import acquire_file_lock


def get_store_directory(folder: Path, stores: Path) -> Path:
    """The store of a folder among all stores: found again by the folder's path."""
    return stores / hash_texts(str(folder))


def hash_texts(*texts: str) -> str:
    """A short name for texts."""
    return hashlib.sha256(b"\0".join(map(os.fsencode, texts))).hexdigest()[:16]


def note_folder(directory: Path, folder: Path) -> None:
    """Make the store's directory, for its owner alone, and leave on record whose it is."""
    make_private_folder(directory)
    write_atomically(directory / "folder", os.fsencode(folder))


def read_folder(directory: Path) -> Path | None:
    """Whose store this is; None when it was made before that was noted."""
    try:
        return Path(os.fsdecode((directory / "folder").read_bytes()))
    except FileNotFoundError:
        return None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file unless it says this already; after a power cut it is the old one or the new."""
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
    """Hold the store, whose directory is made if it is missing; yields the lock's descriptor."""
    while True:
        async with AsyncExitStack() as stack:
            try:
                await asyncio.to_thread(make_private_folder, directory)
                lock = await stack.enter_async_context(acquire_file_lock(directory / "lock"))
            except FileNotFoundError:  # another process has just removed the store
                continue
            if os.fstat(lock).st_nlink:  # else it did so while we waited
                yield lock
                return
