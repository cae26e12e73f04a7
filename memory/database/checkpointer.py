"""LangGraph's saver on our database file."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from ..checkpoints.saver import CheckpointSaver, SaverConnection
from .connection import (
    SETTINGS,
    connect_server,
    find_server,
    prepare_database,
    translate_sqlite_errors,
)


@asynccontextmanager
async def open_checkpointer(
    path: Path, build: Callable[[SaverConnection, Path], CheckpointSaver] = CheckpointSaver
) -> AsyncGenerator[CheckpointSaver]:
    """Open the saver of one event loop; create or migrate the database first.

    Translates errors of SQLite that leave the block. Where they are caught inside it, wrap the
    saver's use in `translate_sqlite_errors`.
    """
    await asyncio.to_thread(prepare_database, path)
    with translate_sqlite_errors(path):
        connection = _open(path)
        async with connection:
            for setting in SETTINGS:
                await connection.execute(f"PRAGMA {setting}")
            saver = build(connection, path)
            saver.is_setup = bool(find_server(path))  # has the tables already
            await saver.setup()
            try:
                yield saver
            finally:
                async with saver.lock:  # a run that was cancelled may still write
                    await connection.close()


def _open(path: Path) -> SaverConnection:
    url = find_server(path)
    begin = partial(connect_server, url, begins=True) if url else partial(sqlite3.connect, path)
    return SaverConnection(begin, iter_chunk_size=64)
