"""The lock of an async connection, which leaves no transaction open."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
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
