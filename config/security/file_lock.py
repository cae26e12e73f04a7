"""Lock files whose wait does not block the event loop."""

import asyncio
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


@asynccontextmanager
async def acquire_file_lock(path: Path) -> AsyncGenerator[int]:
    """Hold the lock; yields its descriptor, for a child that must hold it for its lifetime."""
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
