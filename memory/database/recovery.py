"""Files of a damaged database and of the rows salvaged from it.

A kill may come between any two steps. So salvaged rows get their own file name, `….salvaged`, once
the file is complete and on disk, and only then the damaged file is moved; the next start continues
from there.
"""

import os
import time
from itertools import chain, count
from pathlib import Path


def list_database_files(path: Path) -> list[Path]:
    """Return the database and the files that SQLite keeps beside it."""
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]


def set_aside(path: Path) -> Path:
    """Rename a damaged database with its `-wal` and `-shm`; the new name contains the time."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (f"{path.name}.corrupt-{stamp}{again}" for again in chain([""], count(2)))
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    for part, moved in zip(list_database_files(path), list_database_files(aside), strict=True):
        if part.exists():
            part.rename(moved)
    return aside


def find_set_aside(path: Path) -> Path | None:
    """Return the damaged database that was moved last."""
    logs = ("-wal", "-shm")
    set_aside_files = (file for file in path.parent.glob(f"{path.name}.corrupt-*"))
    return max((file for file in set_aside_files if not file.name.endswith(logs)), default=None)


def get_salvaged_path(path: Path) -> Path:
    """Return the name of a complete new database before it replaces the damaged one."""
    return path.with_name(f"{path.name}.salvaged")


def keep_salvaged(fresh: Path, path: Path) -> None:
    """Give a closed new database this name, once its content is on disk."""
    with fresh.open("rb+") as file:
        os.fsync(file.fileno())
    fresh.rename(get_salvaged_path(path))
    _sync_folder(path)


def install_salvaged(path: Path) -> None:
    """Rename the salvaged file to the database, whose name is free."""
    get_salvaged_path(path).rename(path)
    _sync_folder(path)


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
