"""The list of all threads as a stream: a client is sent it, then each change."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...memory.threads.record import ThreadRow
from ...sdk.streams.event_stream import StoredMessage
from ...sdk.streams.history import describe_thread
from ...sdk.streams.open_questions import list_open_questions
from .question_cards import summarize_question

_logger = logging.getLogger(__name__)


class ThreadInbox:
    """The threads as they were last seen; belongs to one event loop."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._asked = dict[str, tuple[str, Mapping[str, Any]]]()
        self._number = 0
        self._threads: Mapping[str, Mapping[str, Any]] = {}
        self._changed = asyncio.Event()

    async def update(self, rows: Sequence[ThreadRow]) -> None:
        """Take the threads as they are now."""
        await asyncio.to_thread(self._read_questions, rows)
        threads = {row.thread_id: self._describe(row) for row in rows}
        if threads != self._threads or not self._number:
            self._threads, self._number = threads, self._number + 1
            self._changed.set()
            self._changed = asyncio.Event()

    def _describe(self, row: ThreadRow) -> dict[str, Any]:
        asked = self._asked.get(row.thread_id)
        return {**describe_thread(row), **({"asks": asked[1]} if asked and asked[1] else {})}

    def _read_questions(self, rows: Sequence[ThreadRow]) -> None:
        """Read what waiting threads ask, where it has changed since the last look."""
        asked = dict[str, tuple[str, Mapping[str, Any]]]()
        for row in rows:
            if row.status == "waiting":
                mark = f"{row.updated_at} {row.questions}"
                before = self._asked.get(row.thread_id)
                if not before or before[0] != mark:
                    before = (mark, _summarize(row, self._home))
                asked[row.thread_id] = before
        self._asked = asked

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


def _summarize(row: ThreadRow, home: Path) -> Mapping[str, Any]:
    try:
        questions = list_open_questions(row, home)
    except Exception as error:  # the row is shown without it, and the other threads
        _logger.warning("the question of a thread could not be read: %s", error)
        return {}
    return summarize_question(questions[0]) if questions else {}


def _compare(
    before: Mapping[str, Mapping[str, Any]] | None, threads: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    if before is None:
        return {"type": "threads", "all": True, "threads": [*threads.values()], "gone": []}
    changed = [row for name, row in threads.items() if before.get(name) != row]
    deleted = [name for name in before if name not in threads]
    return {"type": "threads", "all": False, "threads": changed, "gone": deleted}
