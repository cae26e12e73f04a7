"""Connections that many calls use one after the other, none of which leaves a transaction open."""

import asyncio
import sqlite3
import weakref
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from typing_extensions import override


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


class IdleConnections:
    """Opens connections, and keeps those that were used: to open one takes 0.6 ms."""

    def __init__(self, path: Path, connect: Callable[[Path], sqlite3.Connection]) -> None:
        self._path, self._connect = path, connect
        self._idle = list[tuple[object, sqlite3.Connection]]()
        """Each with the identity of the file that it has open."""
        weakref.finalize(self, _close_all, self._idle)

    @contextmanager
    def use(self) -> Generator[sqlite3.Connection]:
        """Open a connection, or take an idle one; nobody else uses it meanwhile."""
        file, connection = self._take()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        # a server's wait elsewhere; one that cannot write would not see the disk repaired
        if type(connection) is sqlite3.Connection and not connection.in_transaction:
            self._idle.append((file, connection))
        else:
            connection.close()

    def _take(self) -> tuple[object, sqlite3.Connection]:
        file = _identify(self._path)
        while self._idle:
            opened, connection = self._idle.pop()
            if opened == file:
                return file, connection
            connection.close()  # a repair has put another file in its place
        return file, self._connect(self._path)


def _close_all(idle: list[tuple[object, sqlite3.Connection]]) -> None:
    for _, connection in idle:
        connection.close()


def _identify(path: Path) -> object:
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_dev, state.st_ino
