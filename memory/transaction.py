"""Write transactions of SQLite."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from types import TracebackType

from typing_extensions import override


@contextmanager
def begin_transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Begin a write transaction: afterwards all of it is on disk, or nothing."""
    # IMMEDIATE: a transaction that starts as a reader fails if another process wrote meanwhile
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class RollbackLock(asyncio.Lock):
    """The lock of an async connection: who leaves it with an error leaves no transaction open.

    LangGraph's saver and store begin and commit in separate steps, and a cancellation between them
    would keep the file locked for every process until this one ends.
    """

    def __init__(self, roll_back: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self._roll_back = roll_back

    @override
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        # the rollback is in the connection's queue, behind what was cancelled, before it is awaited
        try:
            if exc_type is not None:
                with suppress(ValueError):  # the connection is closed
                    await self._roll_back()
        finally:
            self.release()
