"""The files of a damaged database and of what was saved of it.

A kill may come between any two steps. So what was saved gets its own name, `….salvaged`, once it
is complete and on the disk, and only then the damaged file is moved; the next start goes on from
there.
"""

import os
import time
from itertools import chain, count
from pathlib import Path


def list_database_files(path: Path) -> list[Path]:
    """The database and the files that SQLite keeps beside it."""
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]


def set_aside(path: Path) -> Path:
    """Move a damaged database and its `-wal` and `-shm` away, under a name that tells when."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (f"{path.name}.corrupt-{stamp}{again}" for again in chain([""], count(2)))
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    for part, moved in zip(list_database_files(path), list_database_files(aside), strict=True):
        if part.exists():
            part.rename(moved)
    return aside


def find_set_aside(path: Path) -> Path | None:
    """The damaged database that was moved away last."""
    logs = ("-wal", "-shm")
    found = (file for file in path.parent.glob(f"{path.name}.corrupt-*"))
    return max((file for file in found if not file.name.endswith(logs)), default=None)


def get_salvaged_path(path: Path) -> Path:
    """The name of a complete new database that waits to take the damaged one's place."""
    return path.with_name(f"{path.name}.salvaged")


def keep_salvaged(fresh: Path, path: Path) -> None:
    """Name a closed new database so, once its content is on the disk."""
    with fresh.open("rb+") as file:
        os.fsync(file.fileno())
    fresh.rename(get_salvaged_path(path))
    _sync_folder(path)


def install_salvaged(path: Path) -> None:
    """Give what was saved the name of the database, which is free."""
    get_salvaged_path(path).rename(path)
    _sync_folder(path)


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
