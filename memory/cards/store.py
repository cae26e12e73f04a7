"""LangGraph's store in a file of its own, opened at its first use.

A run that remembers nothing opens no file. Why it is not in the database of threads:
`docs/decisions/0025`.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import aiosqlite
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.sqlite.aio import AsyncSqliteStore

from ...config import paths
from ...config.errors import MaxAgentError
from ..database.connection import can_write, connect, lock_database
from ..shared_connections import RollbackLock
from .admission import check_permission_speech
from .card import card_from_value
from .card_rows import CardRows
from .file_recovery import create_file, create_tables, translate_store_errors
from .namespaces import identify_project
from .project_migration import adopt_older_cards

if TYPE_CHECKING:
    from .library import CardLibrary


class CardStore(AsyncSqliteStore):
    """LangGraph's store, which opens its file when it is first used."""

    def __init__(self, home: Path, *, is_edited_outside: bool = False) -> None:
        """Belong to the running event loop; nothing is read, and no file is created yet.

        `is_edited_outside`: also by Studio, whose cards no library has checked.
        """
        self._home, self._is_edited_outside = home, is_edited_outside
        self._opening, self._is_stopped = asyncio.Lock(), False
        super().__init__(_create_connection(Path()))
        self.lock = RollbackLock(lambda: self.conn.rollback())

    def has_file(self) -> bool:
        """Return whether anything was ever kept."""
        return paths.locate_memory(self._home).exists()

    async def setup(self) -> None:
        """Open the file, and create it if there is none; also after it was closed.

        Raises ValueError after `stop`, as LangGraph's store does after its end.
        """
        async with self._opening:
            if self._is_stopped:
                raise ValueError("the store is closed")
            if self.is_setup:
                return
            path = await asyncio.to_thread(paths.locate_memory, self._home)
            await asyncio.to_thread(_prepare_file, path, self._home)
            self.conn = _create_connection(path)
            await self.conn
            await super().setup()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Read first, then write: no transaction that has read waits for another's write."""
        numbered = list(enumerate(ops))
        if self._is_edited_outside:
            await asyncio.to_thread(_check_written_cards, [op for _, op in numbered])
        reads = [(number, op) for number, op in numbered if not isinstance(op, PutOp)]
        writes = [(number, op) for number, op in numbered if isinstance(op, PutOp)]
        results: list[Result] = [None] * len(numbered)
        for group in (reads, writes):
            if group:
                done = await self._run_batch([op for _, op in group])
                for (number, _), result in zip(group, done, strict=True):
                    results[number] = result
        return results

    async def _run_batch(self, ops: list[Op]) -> list[Result]:
        path = await asyncio.to_thread(paths.locate_memory, self._home)
        try:
            with translate_store_errors(path):
                try:
                    return await super().abatch(ops)
                except ValueError as error:  # what LangGraph makes of an error of SQLite
                    raise error.__cause__ or error from error
        except MaxAgentError:
            await self.close()  # the next use opens the file that has taken its place
            raise

    async def close(self) -> None:
        """Close the file once nobody writes; another use would open it again."""
        async with self.lock:
            if self.is_setup:
                self.is_setup = False
                await self.conn.close()

    async def stop(self) -> None:
        """Close for good; the task that LangGraph gives each store would outlive the run."""
        batches: asyncio.Task[None] | None = getattr(self, "_task", None)  # untyped in LangGraph
        if batches:
            batches.cancel()
            await asyncio.wait([batches])
        async with self._opening:  # who waits to write would open the file again
            self._is_stopped = True
        await self.close()


@asynccontextmanager
async def open_store(home: Path, *, is_edited_outside: bool = False) -> AsyncGenerator[CardStore]:
    """Yield the store of one event loop; its file is opened at the first use."""
    store = CardStore(home, is_edited_outside=is_edited_outside)
    try:
        yield store
    finally:
        await store.stop()


@asynccontextmanager
async def open_library(home: Path, folder: Path) -> "AsyncGenerator[CardLibrary]":
    """Yield the cards of the project around this folder, for use outside a run."""
    from .library import CardLibrary

    async with open_store(home) as store:
        yield CardLibrary(store, home, await asyncio.to_thread(identify_project, folder), folder)


@asynccontextmanager
async def studio_store() -> AsyncGenerator[CardStore]:
    """Open the user's own cards for `langgraph dev`, which reads `store.path`."""
    home = await asyncio.to_thread(paths.locate_home)
    async with open_store(home, is_edited_outside=True) as store:
        yield store


def _check_written_cards(ops: Sequence[Op]) -> None:
    """Raise CardRefusedError for an active card that would permit something."""
    for op in ops:
        if not isinstance(op, PutOp) or not op.value or op.namespace[0] not in ("memory", "notes"):
            continue
        card = card_from_value(op.key, "project", op.value)
        if card and card.state == "active":
            check_permission_speech(card.content, *card.tags, *card.paths)


def _create_connection(path: Path) -> aiosqlite.Connection:
    return aiosqlite.Connection(partial(connect, path), iter_chunk_size=64)


def _prepare_file(path: Path, home: Path) -> None:
    """Create file and tables; one process at a time, since LangGraph's own setup is not safe."""
    create_file(path)
    if can_write(path):
        with translate_store_errors(path), lock_database(path), closing(connect(path)) as opened:
            create_tables(opened)
            adopt_older_cards(CardRows(opened), home)
