"""A wait before a repeated request, with a sign of life."""

import asyncio

from langgraph.runtime import Runtime

from ..events.progress import Progress
from ..run.context import Context
from ..run.emit import emit

# Seconds between two signs of life
HEARTBEAT = 10.0


async def wait_before_retry(runtime: Runtime[Context], seconds: float) -> None:
    """Sleep; tell every ten seconds how much of the wait is over."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while (left := until - loop.time()) > HEARTBEAT:
        await asyncio.sleep(HEARTBEAT)
        done = round(seconds - left + HEARTBEAT)
        emit(runtime, Progress(task="wait", done=done, total=round(seconds)))
    await asyncio.sleep(max(0.0, left))
