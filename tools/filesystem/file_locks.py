"""Locks on files, between the threads of this process and between processes."""

import fcntl
import os
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from ..cancellable_thread import check_cancelled
from ..result import ToolError

# timeout for a lock of another process
SECONDS = 30.0
PAUSE = 0.01

_locks: WeakValueDictionary[Path, threading.Lock] = WeakValueDictionary()
_folders: dict[Path, "_Folder"] = {}
_guard = threading.Lock()


class _Folder:
    """A folder that this process has locked, and how often."""

    def __init__(self) -> None:
        self.holders = 0
        self.descriptor: int | None = None
        self.lock = threading.Lock()


@contextmanager
def lock_files(*paths: Path) -> Generator[None]:
    """Lock all files that a call reads and writes, in a worker thread.

    `paths` come from `workspace.resolve`, so a file has one lock for all links to it. Threads wait
    for each other's files, processes for each other's folders (an advisory lock). Raises ToolError
    when another process holds a folder for too long.
    """
    # always in the same order, or two calls could deadlock
    with ExitStack() as stack:
        for path in sorted(set(paths)):
            stack.enter_context(_get_lock(path))
        for folder in sorted({_find_existing_folder(path) for path in paths}):
            stack.enter_context(_lock_folder(folder))
        yield


def _get_lock(path: Path) -> threading.Lock:
    with _guard:
        return _locks.setdefault(path, threading.Lock())


def _find_existing_folder(path: Path) -> Path:
    return next(folder for folder in path.parents if folder.is_dir())


@contextmanager
def _lock_folder(place: Path) -> Generator[None]:
    with _guard:
        folder = _folders.setdefault(place, _Folder())
        folder.holders += 1
    try:
        with folder.lock:
            if folder.descriptor is None:
                folder.descriptor = _acquire_folder_lock(place)
        yield
    finally:
        with _guard:
            folder.holders -= 1
            if not folder.holders:
                del _folders[place]
                if folder.descriptor is not None:
                    os.close(folder.descriptor)


def _acquire_folder_lock(place: Path) -> int | None:
    """Lock the folder; return the descriptor that holds the lock, None if it cannot be opened."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    with ExitStack() as undo:
        undo.callback(os.close, descriptor)
        until = time.monotonic() + SECONDS
        while not _try_lock(descriptor):
            check_cancelled()
            if time.monotonic() > until:
                raise ToolError(
                    f"another process is changing files in `{place.name}` and does not end; "
                    "nothing was changed; try again later"
                )
            time.sleep(PAUSE)
        undo.pop_all()
    return descriptor


def _try_lock(descriptor: int) -> bool:
    """Return whether the folder is locked now, or cannot be locked at all."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: only threads wait for each other
        return True
    return True
