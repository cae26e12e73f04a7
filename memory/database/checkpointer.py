"""LangGraph's saver on our database: strict about types, and on the disk before a step goes on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from typing_extensions import override

from ...config import paths
from .checkpoint_queries import ticks_of
from .connection import SETTINGS, explained, prepare
from .serializer import StrictSerializer

_LAST = "SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
_LAST_TICKS = "_last_v6_timestamp"
"""LangGraph's name for the time in the last id that this process has made; private."""


class Saver(AsyncSqliteSaver):
    """Goes on after a thread's last checkpoint even if the clock was set back since.

    The latest checkpoint is the one whose id sorts last, and ids begin with the time.
    """

    @override
    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint; whatever is saved next comes after all of its thread."""
        found = await super().aget_tuple(config)
        if found:
            given = found.config.get("configurable", {})
            asked = (given.get("thread_id"), given.get("checkpoint_ns", ""))
            async with self.lock, self.conn.execute(_LAST, asked) as rows:
                (last,) = await rows.fetchone() or ("",)
            _go_on_after(last)
        return found


def _go_on_after(checkpoint_id: str) -> None:
    known: int = getattr(checkpoint_ids, _LAST_TICKS) or 0
    with suppress(ValueError):  # an id of another program's
        setattr(checkpoint_ids, _LAST_TICKS, max(known, ticks_of(checkpoint_id)))


@asynccontextmanager
async def open_checkpointer(path: Path) -> AsyncGenerator[AsyncSqliteSaver]:
    """The saver of one event loop; the database is made ready first.

    Errors of SQLite that leave the block are explained; where they are caught inside it, wrap the
    saver's use in `database.explained`.
    """
    await asyncio.to_thread(prepare, path)
    with explained(path):
        async with aiosqlite.connect(path) as connection:
            for setting in SETTINGS:
                await connection.execute(f"PRAGMA {setting}")
            saver = Saver(connection, serde=StrictSerializer())
            await saver.setup()
            yield saver


@asynccontextmanager
async def studio_checkpointer() -> AsyncGenerator[AsyncSqliteSaver]:
    """The user's own threads for `langgraph dev`: name it in `checkpointer.path`."""
    async with open_checkpointer(await asyncio.to_thread(_database)) as saver:
        yield saver


def _database() -> Path:
    return paths.database(paths.home())
