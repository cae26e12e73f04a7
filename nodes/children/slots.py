"""Slots that limit how many children of a thread work at once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class ChildSlots:
    """The slots of one thread's children; for one event loop."""

    def __init__(self, limit: int) -> None:
        self._free = asyncio.Semaphore(limit)
        self._working = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.start_lock = asyncio.Lock()
        """Held while a child is recorded, so that IDs follow the order of the tasks."""
        self.announced: set[str] = set()
        """IDs of the children whose start this run has emitted."""

    @asynccontextmanager
    async def take(self) -> AsyncGenerator[None]:
        """Hold a slot; wait until one is free."""
        async with self._free:
            self._working += 1
            self._idle.clear()
            try:
                yield
            finally:
                self._working -= 1
                if not self._working:
                    self._idle.set()

    async def wait_idle(self) -> None:
        """Wait until no child works.

        A child that stops before the others would make LangGraph cancel their calls.
        """
        await self._idle.wait()
