"""How many children of a thread work at once, and how they stop together."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class ChildSlots:
    """The places of one thread's children; it belongs to one event loop."""

    def __init__(self, most: int) -> None:
        self._free = asyncio.Semaphore(most)
        self._working = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.beginning = asyncio.Lock()
        """Held while a child is recorded: their IDs are in the order of their tasks."""
        self.announced: set[str] = set()
        """IDs of the children whose start this run has told."""

    @asynccontextmanager
    async def take(self) -> AsyncGenerator[None]:
        """Hold a place; wait until there is one."""
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

        A child that stops with its run would have LangGraph cancel the others in their calls.
        """
        await self._idle.wait()
