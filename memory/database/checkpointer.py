"""LangGraph's saver on our database file."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite

from ..checkpoints.saver import CheckpointSaver
from .connection import SETTINGS, prepare_database, translate_sqlite_errors


@asynccontextmanager
async def open_checkpointer(
    path: Path, build: Callable[[aiosqlite.Connection, Path], CheckpointSaver] = CheckpointSaver
) -> AsyncGenerator[CheckpointSaver]:
    """Open the saver of one event loop; create or migrate the database first.

    Translates errors of SQLite that leave the block. Where they are caught inside it, wrap the
    saver's use in `translate_sqlite_errors`.
    """
    await asyncio.to_thread(prepare_database, path)
    with translate_sqlite_errors(path):
        async with aiosqlite.connect(path) as connection:
            for setting in SETTINGS:
                await connection.execute(f"PRAGMA {setting}")
            saver = build(connection, path)
            await saver.setup()
            try:
                yield saver
            finally:
                async with saver.lock:  # a run that was cancelled may still write
                    await connection.close()
