"""The events of one thread, numbered from 1: a client goes on with them by the last number it has.

A client whose place is no longer kept, since it was away for long, is too slow, or the server has
crashed, is sent a message of type `history` first: the thread as the database has it, under the
number of the last event that it includes. So nothing is lost, nothing is repeated, and the memory
of a stream does not depend on its clients.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from ...memory.threads.event_numbers import BLOCK
from ..events import Event, ToolCall, ToolResult
from ..runs.event_messages import ROOT, EventMessages

# Bytes of messages that a stream keeps
MAX_KEPT = 4_000_000
# Characters of the output of a running command, of those that are joined
MAX_OUTPUT = 20_000
_JOINED = ("output", "thinking", "tool_output")
# Type of the message that replaces all that a client has
HISTORY = "history"
History = Mapping[str, Any]


class StoredMessage(NamedTuple):
    """A message as clients are sent it."""

    number: int
    type: str
    content: bytes
    """JSON."""


class ThreadStream:
    """The stream of one thread; belongs to one event loop."""

    def __init__(
        self,
        thread_id: str,
        reserve: Callable[[], Awaitable[int]],
        read_history: Callable[[], Awaitable[History]],
        release: "Callable[[ThreadStream], None]" = lambda stream: stream.forget_if_unused(),
    ) -> None:
        """`reserve` reserves the next numbers, and returns the last one before them.

        `release` is called when no run and no client needs the messages any more.
        """
        self.thread_id, self._read_history, self._reserve = thread_id, read_history, reserve
        self._release = release
        self.running_call: ToolCall | None = None
        """The call that the run has made last, until it ends."""
        self.usage: Mapping[str, Any] | None = None
        """The thread's totals after the last request; None: no run was here."""
        self.clients, self.is_running, self.size = 0, False, 0
        self._messages = EventMessages(thread_id, self._take_number)
        self._last = self._reserved = self._floor = 0
        """All messages with a number greater than `_floor` are kept one by one."""
        self._kept = list[StoredMessage]()
        self._base, self._base_number, self._is_cut = b"", 0, False
        self._changed = asyncio.Event()

    async def open(self) -> None:
        """Reserve the first numbers."""
        self._last = self._floor = await self._reserve()
        self._reserved = self._last + BLOCK
        if self._last:  # of a process before: what was sent last is not known
            self._last = self._floor = self._last + 1

    @property
    def run_number(self) -> int:
        """Return the number after which the events of the last run follow."""
        return self._base_number

    async def begin_run(self) -> None:
        """Keep what was before the run that begins; its events follow."""
        history = await self._read_history()
        self._base = zlib.compress(json.dumps(history, ensure_ascii=False).encode())
        self._base_number, self.is_running, self._is_cut = self._last, True, False

    async def publish(self, event: Event) -> None:
        """Add an event of the run."""
        if isinstance(event, ToolCall) and not event.agent:
            self.running_call = event
        elif self.running_call and isinstance(event, ToolResult):
            self.running_call = self.running_call if event.id != self.running_call.id else None
        await self._reserve_more()
        for message in self._messages.build(event):
            if message["type"] == "token_usage" and not message["data"]["agent"]:
                self.usage = message["data"]
            self._keep(message["type"], message["meta"]["seq"], message)

    async def publish_fact(self, kind: str, data: Mapping[str, Any]) -> None:
        """Add a message that is no event of a run, such as what the user has said."""
        await self._reserve_more()
        message = self._messages.build_message(kind, data)
        self._keep(kind, message["meta"]["seq"], message)

    def end_run(self) -> None:
        """From now on the database has everything."""
        self.is_running, self._base, self.running_call = False, b"", None
        self._release_if_unused()

    async def replace(self) -> None:
        """Send every client the history: others have changed the thread."""
        await self._reserve_more()
        self._take_number()
        self._forget()
        self._wake()

    async def follow(
        self, after: int | None, *, from_start: bool = True
    ) -> AsyncGenerator[StoredMessage]:
        """Yield the messages after that number, then those to come; without one from now on.

        0 asks for the history, unless `from_start` is off: then it is a number like any other.
        """
        self.clients += 1
        try:
            position = self._last if after is None else after
            needs_history = after == 0 and from_start
            while True:
                batch: Sequence[StoredMessage] = self._kept
                if needs_history or self._has_lost(position):
                    history, batch = await self._build_history()
                    yield history
                    position, needs_history = history.number, False
                for message in [each for each in batch if each.number > position]:
                    yield message
                    position = message.number
                if position == self._last:
                    await self._changed.wait()
        finally:
            self.clients -= 1
            self._release_if_unused()

    def _has_lost(self, position: int) -> bool:
        return not self._floor <= position <= self._last

    async def _build_history(self) -> tuple[StoredMessage, Sequence[StoredMessage]]:
        """Return the history, and the messages that follow it."""
        while not self.is_running:
            number = self._last
            history = await self._read_history()
            if number == self._last and not self.is_running:
                return self._build_message(history, number), ()
        history = json.loads(zlib.decompress(self._base))
        return self._build_message(history, self._base_number), list(self._kept)

    def _build_message(self, history: History, number: int) -> StoredMessage:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        message = {
            "path": f"{ROOT}/{HISTORY}",
            "type": HISTORY,
            "data": {
                **history,
                "is_running": self.is_running,
                "is_cut": self._is_cut,
                "usage": self.usage,
            },
            "meta": {"thread_id": self.thread_id, "run_id": "", "seq": number, "time": now},
        }
        return StoredMessage(number, HISTORY, encode(message))

    async def _reserve_more(self) -> None:
        while self._last + 2 >= self._reserved:  # a request's usage is two messages
            self._reserved = await self._reserve() + BLOCK

    def _take_number(self) -> int:
        self._last += 1
        return self._last

    def _keep(self, kind: str, number: int, message: Mapping[str, Any]) -> None:
        stored = StoredMessage(number, kind, encode(message))
        self._kept.append(stored)
        self.size += len(stored.content)
        if self.size > MAX_KEPT:
            self._shrink()
        self._wake()

    def _shrink(self) -> None:
        """Join the older half; of what is still too much, drop the oldest."""
        older, newer = self._kept[: len(self._kept) // 2], self._kept[len(self._kept) // 2 :]
        if older:
            self._floor = older[-1].number
        joined = join_texts([each for each in older if each.number > self._base_number])
        size = sum(len(each.content) for each in [*joined, *newer])
        while joined and size > MAX_KEPT * 3 // 4:
            size -= len(joined.pop(0).content)
            self._is_cut = True
        self._kept, self.size = [*joined, *newer], size

    def _release_if_unused(self) -> None:
        if not self.clients and not self.is_running:
            self._release(self)

    def forget_if_unused(self) -> None:
        """Drop the messages, unless a run or a client needs them: the database has all."""
        if not self.clients and not self.is_running:
            self._forget()

    def _forget(self) -> None:
        self._kept, self.size, self._floor = [], 0, self._last

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as JSON on one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def join_texts(messages: Sequence[StoredMessage]) -> list[StoredMessage]:
    """Join the pieces of each text that follow each other, under the number of the last one."""
    parsed = [(stored, json.loads(stored.content)) for stored in messages]
    joined = list[StoredMessage]()
    for key, group in groupby(parsed, lambda each: _get_key(*each)):
        members = list(group)
        joined += [_join(members)] if key else [stored for stored, _ in members]
    return joined


def _get_key(stored: StoredMessage, message: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return what a piece of a text belongs to; None for any other message."""
    data = message["data"]
    return (stored.type, str(data.get("id") or data["agent"])) if stored.type in _JOINED else None


def _join(members: Sequence[tuple[StoredMessage, Mapping[str, Any]]]) -> StoredMessage:
    last, newest = members[-1]
    content = "".join(message["data"]["text"] for _, message in members)
    if last.type == "tool_output":
        content = content[-MAX_OUTPUT:]
    return last._replace(content=encode({**newest, "data": {**newest["data"], "text": content}}))
