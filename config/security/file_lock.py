"""Lock files whose wait does not block the event loop, on file systems that have locks."""

import errno
import fcntl
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from ..errors import MaxAgentError
from ..text import text

# Seconds
LOCK_TIMEOUT = 30.0
_REFUSED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
USE_LOCAL_DISK = (
    "its file system refuses locks: set `MAXAGENT_HOME` to a folder on a disk of this machine"
)


@asynccontextmanager
async def acquire_file_lock(path: Path) -> AsyncGenerator[int]:
    """Hold the lock; yields its descriptor, for a child that must hold it for its lifetime."""
    import asyncio  # light commands read the words of this module only

    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    give_up_at = time.monotonic() + LOCK_TIMEOUT
    try:
        while not _try_lock(lock):
            if time.monotonic() > give_up_at:
                message = text("another process keeps `{path}` locked", path=path)
                raise MaxAgentError(message, hint="wait for it to end, then try again")
            await asyncio.sleep(0.02)
        yield lock
    finally:
        os.close(lock)


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def choose_file_hint(error: OSError, hint: str) -> str:
    """Return the hint for an error of a file, or that its file system has no locks."""
    return USE_LOCAL_DISK if error.errno in _REFUSED else hint


def find_lock_refusal(folder: Path) -> str:
    """Return why the file system of a folder refuses locks; empty if it has them."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # what SQLite uses
    except OSError as error:
        return str(error.strerror) if error.errno in _REFUSED else ""
    return ""
