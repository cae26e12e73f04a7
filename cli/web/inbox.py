"""The list of all threads as a stream: a client is sent it, then each change."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ...memory.threads.lease import describe_own_address
from ...memory.threads.record import ThreadRow
from ...sdk.events import ToolCall
from ...sdk.streams.event_stream import StoredMessage
from ...sdk.streams.history import (
    describe_last_turn,
    describe_thread,
    find_last_question,
    find_turn_start,
)
from ...sdk.threads.open_questions import list_open_questions
from ..rendering.blocks.phrases import describe_call
from .question_cards import SHORT, summarize_question

# Threads used last whose failed calls are counted
RECENT = 50
_logger = logging.getLogger(__name__)


class ThreadInbox:
    """The threads as they were last seen; belongs to one event loop."""

    def __init__(self, home: Path, get_running_call: Callable[[str], ToolCall | None]) -> None:
        """`get_running_call` returns the call that a run of a thread makes now."""
        self._home, self._get_running_call = home, get_running_call
        self._own_address = describe_own_address()
        self._facts = dict[str, tuple[str, Mapping[str, Any]]]()
        self._number = 0
        self._threads: Mapping[str, Mapping[str, Any]] = {}
        self._changed = asyncio.Event()

    async def update(self, rows: Sequence[ThreadRow]) -> None:
        """Take the threads as they are now."""
        await asyncio.to_thread(self._read_facts, rows)
        threads = {row.thread_id: self._describe(row) for row in rows}
        if threads != self._threads or not self._number:
            self._threads, self._number = threads, self._number + 1
            self._changed.set()
            self._changed = asyncio.Event()

    def _describe(self, row: ThreadRow) -> dict[str, Any]:
        described = describe_thread(row)
        if row.holder == self._own_address:  # the server of the page itself
            described["holder"] = ""
        if call := self._get_running_call(row.thread_id):
            phrase = describe_call(call.tool, call.args)
            described["doing"] = {"verb": phrase.verb, "subject": phrase.subject[:SHORT]}
        return {**described, **self._facts.get(row.thread_id, ("", {}))[1]}

    def _read_facts(self, rows: Sequence[ThreadRow]) -> None:
        """Read what threads ask, what has failed and how long they run, where it has changed."""
        still = (row for row in rows if row.status != "running")
        last_used = {row.thread_id for row in islice(still, RECENT)}
        facts = dict[str, tuple[str, Mapping[str, Any]]]()
        for row in rows:
            is_running = row.status == "running"
            if is_running or row.status == "waiting" or row.thread_id in last_used:
                changed = "" if is_running else f"{row.updated_at} {row.questions}"
                mark = f"{row.status} {changed}"
                before = self._facts.get(row.thread_id)
                is_late = is_running and before and not before[1]  # its first step came since
                if not before or before[0] != mark or is_late:
                    before = (mark, _summarize(row, self._home))
                facts[row.thread_id] = before
        self._facts = facts

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
        if row.status == "running":
            since = find_turn_start(row, home)
            return {"since": since} if since else {}
        turn = describe_last_turn(row, home)
        asked = find_last_question(row.thread_id, home) if row.status == "idle" else ""
        questions = list_open_questions(row, home) if row.status == "waiting" else []
    except Exception as error:  # the row is shown without it, and the other threads
        _logger.warning("what a thread asks could not be read: %s", error)
        return {}
    facts = {"asks": summarize_question(questions[0])} if questions else {}
    if asked:  # it waits: its failures are counted beside the question
        turn = {name: fact for name, fact in turn.items() if name != "is_failed"}
        facts = {"asks": {"kind": "approval", "text": asked[:SHORT]}}
    return {**facts, **turn}


def _compare(
    before: Mapping[str, Mapping[str, Any]] | None, threads: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    if before is None:
        return {"type": "threads", "all": True, "threads": [*threads.values()], "gone": []}
    changed = [row for name, row in threads.items() if before.get(name) != row]
    deleted = [name for name in before if name not in threads]
    return {"type": "threads", "all": False, "threads": changed, "gone": deleted}
