"""Saves of growing output, at most one per second."""

import asyncio
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

    If the block is cancelled, the text is saved once more.
    """
    grown = asyncio.Event()
    saving = asyncio.ensure_future(_save_repeatedly(grown, read, save))
    try:
        yield grown.set
    except asyncio.CancelledError:
        await asyncio.shield(asyncio.to_thread(save, read()))
        raise
    finally:
        saving.cancel()


async def _save_repeatedly(
    grown: asyncio.Event, read: Callable[[], str], save: Callable[[str], None]
) -> None:
    await grown.wait()
    await asyncio.sleep(FIRST)
    while True:
        grown.clear()
        await asyncio.to_thread(save, read())
        await asyncio.sleep(INTERVAL)
        await grown.wait()
