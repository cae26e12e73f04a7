"""A thread that is parked at a provider's limit: too early to go on, or waiting for the time."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from datetime import datetime

from .events import Progress, Question

# Seconds between two looks at the clock, which a suspended computer does not stop, and at a stop
TICK = 0.2
# Seconds between two signs of life
HEARTBEAT = 30.0


def compute_time_left(question: Question) -> float:
    """Return the seconds until the provider accepts requests; 0 if it does, or may do so."""
    if question.kind != "limit" or not question.until:
        return 0.0
    return max(0.0, datetime.fromisoformat(question.until).timestamp() - time.time())


async def wait_for_limit(
    question: Question, is_stopping: Callable[[], bool]
) -> AsyncGenerator[Progress]:
    """Wait until the provider accepts requests, or until the run is stopped."""
    total, last_reported = compute_time_left(question), None
    end = time.monotonic() + total  # a clock that is set back makes no wait longer
    while (left := _compute_wait_left(question, end)) and not is_stopping():
        if last_reported is None or last_reported - left >= HEARTBEAT:
            last_reported = left
            yield Progress("wait", done=round(total - left), total=round(total))
        await asyncio.sleep(min(TICK, left))


def _compute_wait_left(question: Question, end: float) -> float:
    return min(compute_time_left(question), max(0.0, end - time.monotonic()))
