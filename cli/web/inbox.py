"""The list of all threads as a stream: a client is sent it, then each change."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from ...memory.threads.record import ThreadRow
from ...sdk.streams.event_stream import StoredMessage
from ...sdk.streams.history import describe_thread


class ThreadInbox:
    """The threads as they were last seen; belongs to one event loop."""

    def __init__(self) -> None:
        self._number = 0
        self._threads: Mapping[str, Mapping[str, Any]] = {}
        self._changed = asyncio.Event()

    def update(self, rows: Sequence[ThreadRow]) -> None:
        """Take the threads as they are now."""
        threads = {row.thread_id: describe_thread(row) for row in rows}
        if threads != self._threads or not self._number:
            self._threads, self._number = threads, self._number + 1
            self._changed.set()
            self._changed = asyncio.Event()

    async def follow(self) -> AsyncGenerator[StoredMessage]:
        """Yield all threads, then those that have changed since, and which are gone."""
        previous: Mapping[str, Mapping[str, Any]] | None = None
        number = 0
        while True:
            if number == self._number:
                await self._changed.wait()
            number, threads = self._number, self._threads
            data = _compare(previous, threads)
            previous = threads
            yield StoredMessage(number, "threads", json.dumps(data, ensure_ascii=False).encode())


def _compare(
    before: Mapping[str, Mapping[str, Any]] | None, threads: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    if before is None:
        return {"type": "threads", "all": True, "threads": [*threads.values()], "gone": []}
    changed = [row for name, row in threads.items() if before.get(name) != row]
    deleted = [name for name in before if name not in threads]
    return {"type": "threads", "all": False, "threads": changed, "gone": deleted}
