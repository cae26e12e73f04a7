"""Retry policy: whether to repeat a request, and the delay before it (pure)."""

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..config.settings.schema import RetrySection
    from .errors import ModelCallError

# Seconds; a provider that asks for a longer wait has set a limit, and the request is not repeated
MAX_REQUESTED_DELAY_SECONDS = 120.0


def compute_delay(
    attempt: int,
    error: "ModelCallError",
    settings: "RetrySection",
    *,
    random: Callable[[], float],
) -> float | None:
    """Return seconds to wait before repeat `attempt` (1 is the first), or None: do not repeat.

    Exponential with jitter: half of the delay is fixed, half is `random()`'s. A delay that the
    provider asks for replaces it, plus a tenth of jitter so that many clients do not return at
    once.
    """
    if not error.retryable:
        return None
    asked = error.retry_after
    if asked is not None and asked > MAX_REQUESTED_DELAY_SECONDS:
        return None
    if asked:
        return asked * (1 + 0.1 * random())
    growth = settings.exponential_base ** min(attempt - 1, 16)
    step = min(settings.max_delay, settings.initial_delay * growth)
    return step * (0.5 + 0.5 * random())


def parse_retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds to wait from the answer's headers; None if they have none."""
    values = {name.lower(): value.strip() for name, value in headers.items()}
    # LiteLLM's proxy passes the headers of its provider on under names of its own
    values = {name.removeprefix("llm_provider-"): value for name, value in values.items()} | values
    milliseconds = _parse_number(values.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = values.get("retry-after", "")
    seconds = _parse_number(text)
    return (
        seconds if seconds is not None else _parse_date(text, time.time() if now is None else now)
    )


def _parse_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _parse_date(http_date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(http_date).timestamp() - now)
    except (ValueError, OverflowError):
        return None
