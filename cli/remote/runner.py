"""A runner whose runs are on a server: the same events and answers as of a `Runner` here."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, Self

from ...config import paths
from ...config.errors import MaxAgentError, ThreadBusyError
from ...config.text import text
from ...sdk.events import (
    Completion,
    Event,
    Failure,
    Interrupted,
    Notice,
    Question,
    parse_event,
)
from ...sdk.streams.event_stream import HISTORY
from .server import Json, ThreadServer

if TYPE_CHECKING:
    from ...sdk.interrupt_response import Answer

# What a stream also has for pages: no event of a run
_FACTS = ("user_message", "call_edited", "window_length")
_LAST = (Question, Completion, Interrupted, Failure)


class RemoteRunner:
    """Starts, continues and stops runs on a server."""

    def __init__(self, server: ThreadServer) -> None:
        self._server = server
        self.home = paths.locate_home()
        """Where this terminal keeps which questions it has shown."""
        self.deadline = 0.0
        self._thread_id = ""
        self._stopping: asyncio.Task[Json] | None = None
        self._reason: Literal["user", "timeout"] = "user"
        self._unknown = set[str]()

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            if self._stopping:
                await self._stopping
        except MaxAgentError as error:
            raise MaxAgentError(
                text("the run was not stopped, and goes on: {reason}", reason=error.message),
                hint=error.hint,
            ) from error
        finally:
            await self._server.__aexit__()

    def begin(self, body: Mapping[str, Any]) -> AsyncGenerator[Event]:
        """Begin a thread: `text`, and what `POST /api/threads` takes with it."""
        return self._stream("", "/api/threads", body)

    def say(self, thread: str, body: Mapping[str, Any]) -> AsyncGenerator[Event]:
        """Send the next message of a conversation."""
        return self._stream(thread, f"/api/threads/{thread}/messages", body)

    def resume(
        self, thread: str, answer: "Answer | Sequence[Answer] | None" = None, **choices: Any
    ) -> AsyncGenerator[Event]:
        """Continue a thread, or answer its questions; of one that runs show what goes on."""
        answers = answer if isinstance(answer, Sequence) else [answer] if answer else []
        path = f"/api/threads/{thread}"
        if answers:
            body = {"answers": [asdict(each) for each in answers]}
            return self._stream(thread, f"{path}/answers", body)
        return self._stream(thread, f"{path}/resume", choices)

    def stop(self, thread_id: str = "", *, reason: Literal["user", "timeout"] = "user") -> bool:
        """Ask the server to end the run."""
        thread_id = thread_id or self._thread_id
        if not thread_id or self._stopping:
            return False
        self._reason = reason
        stopping = self._server.post(f"/api/threads/{thread_id}/stop", {})
        self._stopping = asyncio.ensure_future(stopping)
        return True

    def is_stopping(self, thread_id: str = "") -> bool:
        """Return whether it was asked to."""
        return self._stopping is not None

    async def _stream(
        self, thread_id: str, path: str, body: Mapping[str, Any]
    ) -> AsyncGenerator[Event]:
        """Ask for a run, and yield its events to the last one."""
        busy: ThreadBusyError | None = None
        try:
            started = await self._server.post(path, body)
        except ThreadBusyError as error:
            if not path.endswith("/resume"):
                raise
            started, busy = {"after": None}, error
        self._thread_id = started.get("thread_id") or thread_id
        async with aclosing(self._server.follow(self._thread_id, started["after"])) as messages:
            async for message in messages:
                if message["type"] == HISTORY:
                    events = await self._catch_up(message["data"], busy)
                else:
                    events = self._read_event(message)
                for event in events:
                    yield event
                    if isinstance(event, _LAST):
                        return
                busy = None

    def _read_event(self, message: Json) -> Sequence[Event]:
        kind = message["type"]
        if kind in _FACTS:
            return ()
        try:
            event = parse_event({"type": kind, **message["data"]})
        except (KeyError, TypeError):  # of a newer server
            if kind in self._unknown:
                return ()
            self._unknown.add(kind)
            return [Notice(text("the server sends `{kind}`, unknown here: upgrade", kind=kind))]
        if isinstance(event, Interrupted):
            return [Interrupted(event.thread_id, self._reason, usage=event.usage)]
        return [event]

    async def _catch_up(
        self, history: Mapping[str, Any], busy: ThreadBusyError | None
    ) -> Sequence[Event]:
        """Return what stands for the events that cannot be had any more.

        `busy` is set for the beginning of a run that goes on.
        """
        row: Mapping[str, Any] = history["thread"] or {}
        status, thread_id = row.get("status", ""), self._thread_id
        if busy and (history["is_running"] or status == "running"):
            if history["is_running"]:
                return ()  # its events follow
            raise busy
        missed = Notice(text("events were missed; `threads show {id}` has all", id=thread_id[:8]))
        if history["is_running"]:
            return [missed]
        if self._stopping or status in ("", "interrupted", "running"):
            return [missed, Interrupted(thread_id, self._reason)]
        async with aclosing(self.resume(thread_id)) as events:
            return [missed, *[event async for event in events]]
