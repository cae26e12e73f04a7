"""One writer at a time: locks of files, among the threads of this process and among processes."""

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

SECONDS = 30.0
"""How long another process is waited for."""
PAUSE = 0.01

_locks: WeakValueDictionary[Path, threading.Lock] = WeakValueDictionary()
_folders: dict[Path, "_Folder"] = {}
_guard = threading.Lock()


class _Folder:
    """A folder that this process holds against others, and how often."""

    def __init__(self) -> None:
        self.holders = 0
        self.descriptor: int | None = None
        self.lock = threading.Lock()


@contextmanager
def lock_files(*paths: Path) -> Generator[None]:
    """Hold the files, in a worker thread, from reading to writing; all at once, never one by one.

    `paths` come from `workspace.resolve`, so a file has one lock whatever link names it. Threads
    wait for each other's files, processes for each other's folders (an advisory lock, so only
    programs like this one respect it; where a file system has none, only threads wait).
    Raises ToolError when another process holds a folder for too long.
    """
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
    """A descriptor that holds the folder's lock; None where folders cannot be locked."""
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
    """Whether the wait is over: the folder is ours, or its file system knows no such locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
