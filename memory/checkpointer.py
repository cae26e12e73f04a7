"""LangGraph's saver on our database: strict about types, and on the disk before a step goes on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ..config import paths
from .database import SETTINGS, explained, prepare
from .strict_serializer import StrictSerializer


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
            saver = AsyncSqliteSaver(connection, serde=StrictSerializer())
            await saver.setup()
            yield saver


@asynccontextmanager
async def studio_checkpointer() -> AsyncGenerator[AsyncSqliteSaver]:
    """The user's own threads for `langgraph dev`: name it in `checkpointer.path`."""
    async with open_checkpointer(await asyncio.to_thread(_database)) as saver:
        yield saver


def _database() -> Path:
    return paths.database(paths.home())
