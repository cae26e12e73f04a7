"""The time limit of a run: it stops after its step, and soon after that at once."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from ..events import Event, Interrupted, TokenUsage, as_json
from ..outcome import build_usage
from .active_runs import ActiveRun

# Seconds that a step has to finish after the time is up
GRACE = 3.0


async def limit_time(events: AsyncGenerator[Event], run: ActiveRun) -> AsyncGenerator[Event]:
    """Stream the events until the run's deadline; nothing of the thread is lost by it."""
    loop, usage = asyncio.get_running_loop(), dict[str, Any]()
    seconds = run.deadline - time.monotonic()
    timer = loop.call_later(max(0.0, seconds), run.stop, "timeout")
    end = loop.time() + seconds + GRACE
    try:
        async with aclosing(events):
            while True:
                timeout = asyncio.timeout_at(end)
                try:
                    async with timeout:
                        event = await anext(events, None)
                except TimeoutError:
                    if not timeout.expired():
                        raise
                    yield Interrupted(run.thread_id, "timeout", usage=usage)
                    return
                if event is None:
                    return
                if isinstance(event, TokenUsage) and not event.agent:
                    usage = build_usage(as_json(event))
                yield event
    finally:
        timer.cancel()
