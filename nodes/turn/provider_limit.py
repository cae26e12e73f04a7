"""A provider's limit: the thread parks until it may ask again."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...config.text import text
from ...models.errors import ModelCallError, QuotaExhaustedError
from ...models.resolver import ResolvedModel
from ...models.retry import MAX_REQUESTED_DELAY_SECONDS
from ..events.progress import Progress
from ..run.context import Context
from ..run.emit import emit

# Seconds between two signs of life
HEARTBEAT = 10.0


@dataclass(frozen=True)
class FailedRequest:
    """A model that could not answer, and why."""

    model: ResolvedModel
    error: ModelCallError
    until: float | None
    """When it may be asked again, in seconds since the epoch; None: the provider does not say."""

    @property
    def is_limit(self) -> bool:
        """Return whether the provider's limit is the reason: a later request may succeed."""
        asked = self.error.retry_after or 0.0
        return isinstance(self.error, QuotaExhaustedError) or (
            self.error.retryable and asked > MAX_REQUESTED_DELAY_SECONDS
        )


def record_failure(model: ResolvedModel, error: ModelCallError) -> FailedRequest:
    """Note the failure, with the time from which the provider accepts requests again."""
    asked = error.retry_after
    return FailedRequest(model, error, None if asked is None else time.time() + asked)


def park_at_limit(failures: Sequence[FailedRequest]) -> None:
    """Stop the thread at the limit that ends first; return if no failure is a limit."""
    limits = [failure for failure in failures if failure.is_limit]
    if not limits:
        return
    first = min(limits, key=lambda limit: inf if limit.until is None else limit.until)
    until = "" if first.until is None else format_moment(first.until)
    while True:  # an answer that is already there belongs to an earlier limit of this step
        interrupt(
            {
                "type": "limit",
                "description": _describe_limit(first),
                "until": until,
                "provider": first.model.provider.name,
            }
        )


def format_moment(seconds: float) -> str:
    """Return seconds since the epoch as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _describe_limit(limit: FailedRequest) -> str:
    if limit.until is None:
        return limit.error.message
    local = datetime.fromtimestamp(limit.until).astimezone()
    return text(
        "{reason}; it accepts requests again from {time}",
        reason=limit.error.message,
        time=local.strftime("%Y-%m-%d %H:%M"),
    )


async def wait_before_retry(runtime: Runtime[Context], seconds: float) -> None:
    """Sleep; tell every ten seconds how much of the wait is over."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while (left := until - loop.time()) > HEARTBEAT:
        await asyncio.sleep(HEARTBEAT)
        done = round(seconds - left + HEARTBEAT)
        emit(runtime, Progress(task="wait", done=done, total=round(seconds)))
    await asyncio.sleep(max(0.0, left))
