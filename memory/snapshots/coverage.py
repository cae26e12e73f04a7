"""Check whether undo can restore a file or folder that a command would delete or overwrite."""

import os
import stat
import struct
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from .git_index import LINK, REGULAR, parse_index
from .limits import MAX_FILES, MAX_STORED_FILE_BYTES

# Most files and folders checked below one path; a path with more is not covered
MAX_ENTRIES = 10_000
# Paths relative to the top of git's work tree
IndexedPaths = frozenset[bytes]


def list_index(index: Path) -> IndexedPaths:
    """Return the files in a git index; none if it is missing or its format is unknown."""
    try:
        index_stat = index.stat()
        return _read_index(index, (index_stat.st_ino, index_stat.st_mtime_ns, index_stat.st_size))
    except (OSError, ValueError, IndexError, struct.error):
        return frozenset()


def is_covered(
    path: Path, top: Path, is_listed: Callable[[bytes], bool], largest: int = MAX_STORED_FILE_BYTES
) -> bool:
    """Return whether every file at `path` is listed, relative to `top`, and small enough to store.

    A path that does not exist is covered: there is nothing to lose.
    """
    left, waiting = MAX_ENTRIES, [os.fsencode(path)]
    root = os.fsencode(top)
    while waiting:
        left -= 1
        current_path = waiting.pop()
        try:
            path_stat = os.lstat(current_path)
            if stat.S_ISDIR(path_stat.st_mode):
                waiting += [entry.path for entry in os.scandir(current_path)]
        except FileNotFoundError:
            continue
        except OSError:
            return False
        if left < len(waiting) or not _is_stored(current_path, path_stat, root, is_listed, largest):
            return False
    return True


def _is_stored(
    path: bytes,
    path_stat: os.stat_result,
    root: bytes,
    is_listed: Callable[[bytes], bool],
    largest: int,
) -> bool:
    if stat.S_ISDIR(path_stat.st_mode):
        return True
    if stat.S_ISREG(path_stat.st_mode) and (
        path_stat.st_size > largest or not os.access(path, os.R_OK)
    ):
        return False
    return is_listed(os.path.relpath(path, root))


@lru_cache(maxsize=4)
def _read_index(index: Path, state: tuple[int, int, int]) -> IndexedPaths:
    # a sparse index lists whole folders without their files, so those are not covered
    parsed = parse_index(index.read_bytes(), 2 * MAX_FILES)
    names = {entry.name for entry in parsed.entries if entry.type in (REGULAR, LINK)} - {b""}
    if parsed.base.strip("0"):  # what has left the index since is among them
        names |= list_index(index.with_name(f"sharedindex.{parsed.base}"))
    return frozenset(names)
