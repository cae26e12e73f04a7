"""Saves of growing output, at most one per second."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

# Seconds before the first save: output that is complete by then is saved elsewhere, as a whole
FIRST = 0.1
# Seconds between two saves.
INTERVAL = 1.0


@asynccontextmanager
async def autosave(
    read: Callable[[], str], save: Callable[[str], None]
) -> AsyncGenerator[Callable[[], None]]:
    """Yield a function to call when the text has grown; `save` runs in a thread.

    If the block is cancelled, the text is saved once more. No save ends after the block, and none
    replaces a later text.
    """
    grown, saves = asyncio.Event(), _OrderedSaves(save)
    saving = asyncio.ensure_future(_save_repeatedly(grown, read, saves))
    try:
        yield grown.set
    except asyncio.CancelledError:
        await asyncio.shield(saves.save(read()))
        raise
    except BaseException:
        await saves.close()
        raise
    else:
        await saves.close()
    finally:
        saving.cancel()


class _OrderedSaves:
    """Saves one after the other: a thread that waits for a lock does not end with its task."""

    def __init__(self, save: Callable[[str], None]) -> None:
        self._save, self._lock = save, threading.Lock()
        self._begun = self._saved = self._closed = 0

    async def save(self, text: str) -> None:
        """Save the text unless a later one has been saved meanwhile."""
        self._begun += 1
        await asyncio.to_thread(self._save_in_order, self._begun, text)

    async def close(self) -> None:
        """Wait for a save that runs; those that have not begun do nothing."""
        self._closed = self._begun
        if self._lock.locked():
            await asyncio.shield(asyncio.to_thread(self._wait))

    def _save_in_order(self, number: int, text: str) -> None:
        with self._lock:
            if number > max(self._saved, self._closed):
                self._save(text)
                self._saved = number

    def _wait(self) -> None:
        with self._lock:
            pass


async def _save_repeatedly(
    grown: asyncio.Event, read: Callable[[], str], saves: _OrderedSaves
) -> None:
    await grown.wait()
    await asyncio.sleep(FIRST)
    while True:
        grown.clear()
        await saves.save(read())
        await asyncio.sleep(INTERVAL)
        await grown.wait()
