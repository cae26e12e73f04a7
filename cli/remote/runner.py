"""A runner whose runs are on a server: the same events and answers as of a `Runner` here."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any, Literal, Self

from ...config import paths
from ...config.errors import MaxAgentError
from ...config.text import text
from ...sdk.events import Completion, Event, Failure, Interrupted, Notice, Question, parse_event
from ...sdk.streams.event_stream import HISTORY
from .address import RemoteAddress
from .agent_server import AgentServer, open_server
from .connection import Json
from .server import RunPlace, ThreadServer

if TYPE_CHECKING:
    from ...sdk.interrupt_response import Answer

# What a stream also has for pages: no event of a run
_FACTS = ("user_message", "call_edited", "window_length")
_LAST = (Question, Completion, Interrupted, Failure)


class RemoteRunner:
    """Starts, continues and stops runs on a server."""

    _server: ThreadServer | AgentServer

    def __init__(self, address: RemoteAddress) -> None:
        self._address, self._closing = address, AsyncExitStack()
        self.home = paths.locate_home()
        """Where this terminal keeps which questions it has shown."""
        self.deadline = 0.0
        self._thread_id = ""
        self._stopping: asyncio.Future[None] | None = None
        self._is_to_stop = False
        """Asked to stop before the server has named the run's thread."""
        self._reason: Literal["user", "timeout"] = "user"
        self._unknown = set[str]()

    async def __aenter__(self) -> Self:
        opened = open_server(self._address)
        self._server = await self._closing.enter_async_context(opened)
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
            await self._closing.aclose()

    def begin(self, body: Mapping[str, Any]) -> AsyncGenerator[Event]:
        """Begin a thread: `text`, and what else `POST /api/threads` of `mcode web` takes."""
        return self._stream(self._server.begin(body))

    def say(self, thread: str, body: Mapping[str, Any]) -> AsyncGenerator[Event]:
        """Send the next message of a conversation."""
        return self._stream(self._server.say(thread, body))

    def resume(
        self, thread: str, answer: "Answer | Sequence[Answer] | None" = None, **choices: Any
    ) -> AsyncGenerator[Event]:
        """Continue a thread, or answer its questions; of one that runs show what goes on."""
        answers = answer if isinstance(answer, Sequence) else [answer] if answer else []
        if answers:
            return self._stream(self._server.answer(thread, answers))
        return self._stream(self._server.resume(thread, choices))

    def stop(self, thread_id: str = "", *, reason: Literal["user", "timeout"] = "user") -> bool:
        """Ask the server to end the run."""
        thread_id = thread_id or self._thread_id
        if self.is_stopping():
            return False
        self._reason = reason
        if thread_id:
            self._stopping = asyncio.ensure_future(self._server.stop(thread_id))
        else:
            self._is_to_stop = True
        return True

    def is_stopping(self, thread_id: str = "") -> bool:
        """Return whether it was asked to."""
        return self._is_to_stop or self._stopping is not None

    async def _stream(self, start: Awaitable[RunPlace]) -> AsyncGenerator[Event]:
        """Ask for a run, and yield its events to the last one."""
        run = await self._await_start(start)
        is_first = run.after is None
        async with aclosing(self._server.follow(run)) as messages:
            async for message in messages:
                if message["type"] == HISTORY:
                    events = await self._catch_up(message["data"], is_first=is_first)
                else:
                    events = self._read_event(message)
                for event in events:
                    yield event
                    if isinstance(event, _LAST):
                        return
                is_first = False

    async def _await_start(self, start: Awaitable[RunPlace]) -> RunPlace:
        """Return the place of the run; if it was to be stopped meanwhile, it is.

        A cancellation waits for the server's answer: the run would go on there, and cost money.
        """
        starting = asyncio.ensure_future(start)
        try:
            run = await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._is_to_stop = True
            await asyncio.wait([starting])
            if not starting.exception():
                self._send_stop(starting.result())
            raise
        self._thread_id = run.thread_id
        if self._is_to_stop:
            self._send_stop(run)
        return run

    def _send_stop(self, run: RunPlace) -> None:
        self._is_to_stop = False
        self._stopping = asyncio.ensure_future(self._server.stop(run.thread_id))

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

    async def _catch_up(self, history: Mapping[str, Any], *, is_first: bool) -> Sequence[Event]:
        """Return what stands for the events that cannot be had any more."""
        if is_first and history["is_running"]:
            return ()  # the events of the run follow
        row: Mapping[str, Any] = history["thread"] or {}
        status = row.get("status", "")
        thread_id = self._thread_id
        missed = Notice(text("events were missed; `threads show {id}` has all", id=thread_id[:8]))
        if history["is_running"]:
            return [missed]
        if self._stopping or status in ("", "interrupted", "running"):
            return [missed, Interrupted(thread_id, self._reason)]
        async with aclosing(self.resume(thread_id)) as events:
            return [missed, *[event async for event in events]]
