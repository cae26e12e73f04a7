"""The events of one run, asked for one by one from another thread."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from ...config.errors import UsageError
from ..events import Event

Request = asyncio.Future[Event | None]


class EventStream:
    """A run that goes on only while its next event is asked for; it belongs to one event loop."""

    def __init__(self, events: AsyncGenerator[Event]) -> None:
        """Open it; the run begins with the first request."""
        self._requests = asyncio.Queue[Request]()
        # one task for all events: what a run opens must be closed in the same one
        self._task = asyncio.create_task(self._answer_requests(events))

    async def request(self) -> Event | None:
        """Return the next event, None after the last one; raises UsageError once it is closed."""
        request: Request = asyncio.get_running_loop().create_future()
        self._requests.put_nowait(request)
        await asyncio.wait([request, self._task], return_when=asyncio.FIRST_COMPLETED)
        if not request.done():
            raise build_closed_error()
        return request.result()

    async def _answer_requests(self, events: AsyncGenerator[Event]) -> None:
        """Answer each request with the run's next event, None at its end, or its exception."""
        async with aclosing(events):
            while True:
                request = await self._requests.get()
                try:
                    request.set_result(await anext(events, None))
                except Exception as error:
                    request.set_exception(error)
                    return

    def cancel(self) -> asyncio.Task[None]:
        """Stop the run; return the task that ends with it."""
        self._task.cancel()
        return self._task


async def close_streams(streams: Iterable[EventStream]) -> None:
    """Stop these runs, and wait for their ends."""
    if tasks := [stream.cancel() for stream in streams]:
        await asyncio.wait(tasks)


def build_closed_error() -> UsageError:
    """Return the error of a SyncRunner that is not open."""
    return UsageError("the runner is not open", hint="use `with SyncRunner() as runner:`")
