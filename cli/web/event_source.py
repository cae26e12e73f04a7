"""Messages as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import StreamingResponse

from ...config.errors import UsageError
from ...sdk.streams.event_stream import StoredMessage

# Seconds without a message after which a comment is sent: a proxy or a phone ends idle connections
PULSE = 15.0


def read_last_id(request: Request) -> int | None:
    """Return the number after which to go on; None: begin now. Raises UsageError."""
    query = request.query_params
    value = request.headers.get("last-event-id") or query.get("after") or query.get("since")
    if value is None:
        return None
    if not value.isascii() or not value.isdecimal() or len(value) > 15:
        raise UsageError("`Last-Event-ID` must be a number", hint="0 is the beginning")
    return int(value)


def respond_with_events(
    messages: AsyncGenerator[StoredMessage],
    prepare: Callable[[StoredMessage], StoredMessage] = lambda message: message,
) -> StreamingResponse:
    """Return the response that sends the messages, prepared, as long as the client reads."""

    async def encode() -> AsyncGenerator[bytes]:
        async with aclosing(messages):
            async for message in messages:
                sent = prepare(message)
                # no `event:` field: each message has its type
                yield b"id: %d\ndata: %s\n\n" % (sent.number, sent.content)

    return respond_with_stream(encode())


def respond_with_stream(events: AsyncGenerator[bytes]) -> StreamingResponse:
    """Return the response that sends encoded events, and a pulse while there is none."""
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_add_pulse(events), media_type="text/event-stream", headers=headers)


async def _add_pulse(events: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n\n"
    upcoming: asyncio.Future[bytes] | None = None
    try:
        while True:
            upcoming = upcoming or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait([upcoming], timeout=PULSE)
            if not done:
                yield b": alive\n\n"
                continue
            event, upcoming = upcoming.result(), None
            yield event
    except StopAsyncIteration:
        return
    finally:
        if upcoming:
            upcoming.cancel()
            await asyncio.wait([upcoming])
        await events.aclose()
