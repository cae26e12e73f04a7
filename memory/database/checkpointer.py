"""LangGraph's saver on our database file."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ...config import paths
from ..checkpoints.saver import CheckpointSaver
from .connection import SETTINGS, prepare_database, translate_sqlite_errors


@asynccontextmanager
async def open_checkpointer(path: Path) -> AsyncGenerator[AsyncSqliteSaver]:
    """Open the saver of one event loop; create or migrate the database first.

    Translates errors of SQLite that leave the block. Where they are caught inside it, wrap the
    saver's use in `translate_sqlite_errors`.
    """
    await asyncio.to_thread(prepare_database, path)
    with translate_sqlite_errors(path):
        async with aiosqlite.connect(path) as connection:
            for setting in SETTINGS:
                await connection.execute(f"PRAGMA {setting}")
            saver = CheckpointSaver(connection)
            await saver.setup()
            yield saver


@asynccontextmanager
async def studio_checkpointer() -> AsyncGenerator[AsyncSqliteSaver]:
    """Open the user's own threads for `langgraph dev`, which reads `checkpointer.path`."""
    async with open_checkpointer(await asyncio.to_thread(_find_database)) as saver:
        yield saver


def _find_database() -> Path:
    return paths.locate_database(paths.locate_home())
