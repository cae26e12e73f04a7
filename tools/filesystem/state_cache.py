"""What was read from files and folders, kept in memory while nothing has changed there."""

import os
import sys
import time
from collections.abc import Hashable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from ...memory.snapshots.folder_watch import LOCAL, find_file_system

T = TypeVar("T")

# Nanoseconds; a change within one tick of the file system's clock leaves the state as it was, so
# what has changed just now is read again
SETTLED = 2_000_000_000


class FileState(NamedTuple):
    """State of a file or folder; a folder's changes with each name in it."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


class StateCache(Generic[T]):
    """Values by key, each with the state of the file that it was read from."""

    def __init__(self, limit: int) -> None:
        """`limit` is the weight of all values after which the cache begins anew."""
        self._limit = limit
        self._weight = 0
        self._values: dict[Hashable, tuple[FileState, T]] = {}

    def get(self, key: Hashable, state: FileState) -> T | None:
        """Return the value that was read in this state."""
        old_state, value = self._values.get(key, (None, None))
        return value if old_state == state else None

    def add(self, key: Hashable, state: FileState, value: T, weight: int = 1) -> None:
        """Keep a value, if a later change is sure to show in the state."""
        if time.time_ns() - max(state.modified, state.changed) < SETTLED:
            return
        if self._weight + weight > self._limit:
            self._values.clear()
            self._weight = 0
        self._values[key] = state, value
        self._weight += weight


def read_state(path: str, *, follow: bool = False) -> FileState | None:
    """Read the state of a file or folder; None without one."""
    try:
        status = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return FileState(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


def find_local_device(root: Path) -> int | None:
    """Find the device of a folder; None where a state may stay although something has changed."""
    if sys.platform != "linux" or find_file_system(os.fsencode(root)) not in LOCAL:
        return None
    state = read_state(str(root))
    return state.device if state else None
