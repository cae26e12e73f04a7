"""A server of `mcode web`: its threads, and the numbered messages of a run."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Any, NamedTuple

from ...config.errors import ThreadBusyError
from ...models.http.sse import EventDecoder
from ...sdk.interrupt_response import Answer
from ...sdk.streams.event_stream import HISTORY
from .connection import LOSSES, Json, Reconnection, ServerConnection


class RunPlace(NamedTuple):
    """Where the events of a run begin."""

    thread_id: str
    after: Any
    """What the server counts them by; None: at the beginning of the run that goes on."""


class ThreadServer:
    """Asks one server."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def list_threads(self, query: str = "") -> list[Json]:
        """Return the threads, the last used first; with a query those that have its words."""
        return (await self._get("/api/threads", **({"q": query} if query else {})))["threads"]

    async def read_thread(self, thread_id: str) -> Json:
        """Return a thread with its entries."""
        return await self._get(f"/api/threads/{thread_id}")

    async def read_diff(self, thread_id: str) -> str:
        """Return what the thread has changed."""
        return (await self._get(f"/api/threads/{thread_id}/files"))["diff"]

    async def change(self, thread_id: str, action: str, body: Mapping[str, Any]) -> Json:
        """Undo, redo, rewind, fork or rename a thread."""
        return await self._post(f"/api/threads/{thread_id}/{action}", body)

    async def begin(self, body: Mapping[str, Any]) -> RunPlace:
        """Begin a thread."""
        answer = await self._post("/api/threads", body)
        return RunPlace(answer["thread_id"], answer["after"])

    async def say(self, thread_id: str, body: Mapping[str, Any]) -> RunPlace:
        """Send the next message of a conversation."""
        return await self._start(thread_id, "messages", body)

    async def answer(self, thread_id: str, answers: Sequence[Answer]) -> RunPlace:
        """Answer questions of a thread."""
        body = {"answers": [asdict(each) for each in answers]}
        return await self._start(thread_id, "answers", body)

    async def resume(self, thread_id: str, choices: Mapping[str, Any]) -> RunPlace:
        """Continue a thread; of one that runs, return the place of the run that goes on."""
        try:
            return await self._start(thread_id, "resume", choices)
        except ThreadBusyError:
            if not (await self.read_thread(thread_id))["is_running"]:
                raise
            return RunPlace(thread_id, None)

    async def stop(self, thread_id: str) -> None:
        """End the run of a thread at once."""
        await self._post(f"/api/threads/{thread_id}/stop", {})

    async def _start(self, thread_id: str, action: str, body: Mapping[str, Any]) -> RunPlace:
        answer = await self._post(f"/api/threads/{thread_id}/{action}", body)
        return RunPlace(thread_id, answer.get("after"))  # none: it went to the turn that goes on

    async def follow(self, run: RunPlace) -> AsyncGenerator[Json]:
        """Yield the messages of a run, over lost connections, each once.

        Of one that goes on, the history comes first, then its events. Later a message of type
        `history` replaces what was missed. Raises LostConnectionError once the server has not been
        reached for long.
        """
        number: int | None = run.after
        retries = Reconnection(self._connection)
        while True:
            try:
                messages = self._read(run.thread_id, number, retries)
                async with aclosing(messages):
                    async for message in messages:
                        number = message["meta"]["seq"]
                        yield message
            except LOSSES as error:
                retries.note_loss(error)
            await retries.wait()

    async def _read(
        self, thread_id: str, number: int | None, retries: Reconnection
    ) -> AsyncGenerator[Json]:
        position = {"after": "0"} if number is None else {"since": str(number)}
        path, decoder = f"/api/threads/{thread_id}/events", EventDecoder()
        async with aclosing(self._connection.stream(path, position)) as portions:
            async for portion in portions:
                retries.note_life()  # a pulse, too
                for data in decoder.feed(portion):
                    message = json.loads(data)
                    if message["type"] == HISTORY or message["meta"]["seq"] > (number or 0):
                        yield message

    async def _get(self, path: str, **query: str) -> Json:
        return await self._connection.ask("GET", path, params=query)

    async def _post(self, path: str, body: Mapping[str, Any]) -> Json:
        return await self._connection.ask("POST", path, json=body)
