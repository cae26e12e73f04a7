"""The saver of LangGraph's server: it deletes and copies threads as MaxAgent does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from typing_extensions import override

from ...config import paths
from ...memory.checkpoints.saver import CheckpointSaver, SaverConnection
from ...memory.database.checkpointer import open_checkpointer
from ...memory.threads.index import ThreadIndex
from ..threads.time_travel import copy_thread
from .refusal import translate_refusal


class StudioSaver(CheckpointSaver):
    """A saver whose threads are those of the user's list."""

    def __init__(
        self,
        connection: SaverConnection,
        database: Path,
        home: Path,
        threads: ThreadIndex,
    ) -> None:
        super().__init__(connection, database)
        self._home, self._threads = home, threads

    @override
    async def adelete_thread(self, thread_id: str) -> None:
        """Delete the thread with all its data; a client is told if it runs."""
        with translate_refusal():
            await asyncio.to_thread(self._threads.delete, thread_id)

    @override
    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy the thread as `mcode threads fork` does: open calls stay with the first one."""
        with translate_refusal():
            row = await asyncio.to_thread(self._threads.get, source_thread_id)
            await copy_thread(row, self._home, target_thread_id)


@asynccontextmanager
async def studio_checkpointer() -> AsyncGenerator[CheckpointSaver]:
    """Open the user's own threads for `langgraph dev`, which reads `checkpointer.path`."""
    home = await asyncio.to_thread(paths.locate_home)
    database = await asyncio.to_thread(paths.locate_database, home)
    threads = await asyncio.to_thread(ThreadIndex, home)
    build = partial(StudioSaver, home=home, threads=threads)
    async with open_checkpointer(database, build) as saver:
        yield saver
