"""Retry policy: whether to repeat a request, and the delay before it (pure).

A provider says how long to wait in headers, in fields of the body, or in words.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ..config.settings.schema import RetrySection
    from .errors import ModelCallError

# Seconds; a provider that asks for a longer wait has set a limit, and the request is not repeated
MAX_REQUESTED_DELAY_SECONDS = 120.0
# Seconds; a larger number is a moment, not a wait
MAX_WAIT_SECONDS = 30 * 86_400.0
# From here on a moment is in milliseconds
_MILLISECONDS = 1e11
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(
    r"(\d{1,12}(?:\.\d{1,9})?) ?"
    r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    r"(?:(?:try|retry)(?: again)?|retry[ _-]?after|available(?: again)?|resets?|wait)"
    r"(?: (?:for|in|after|another|about|at least|your request)){0,3}[ :]{1,2}",
    re.IGNORECASE,
)
# Characters of words that are searched
_MAX_WORDS = 4_000
_FIELDS = (
    *("retry_after", "retryafter", "retry_after_seconds", "retry_delay", "retrydelay"),
    *("resets_in_seconds", "reset_in_seconds", "resets_at", "reset_at"),
)
# A moment without a zone is in China's: no earlier one is asked for in vain for long
_MOMENT = re.compile(
    r"(?:reset|again|access|available)\w*(?: (?:at|on|after|by)){0,2}:? |(?:将在|将于|请在)\s*"
)
_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:T| at | )(\d\d:\d\d(?::\d\d)?)(?:\.\d+)? ?(UTC|GMT|Z|[+-]\d\d:?\d\d)?"
)
_RESET = re.compile(r"(?:x-|anthropic-)?ratelimit-(?:([a-z-]+)-)?reset(?:-(?!after)([a-z-]+))?")


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


def find_requested_wait(
    headers: Mapping[str, str], body: str = "", *, now: float | None = None
) -> float | None:
    """Return the seconds to wait that an answer asks for; None if it asks for none."""
    moment = time.time() if now is None else now
    body = _unescape(body)
    for seconds in (
        _find_in_headers(headers, moment),
        *_iter_body_waits(body, moment),
        _find_in_words(body, moment),
        _find_reset(headers, moment),
    ):
        if seconds is not None:
            return seconds
    return None


def _unescape(body: str) -> str:
    """Return JSON with its letters as they are: `\\u91cd\\u7f6e` is a word, too."""
    try:
        return json.dumps(json.loads(body), ensure_ascii=False) if "\\u" in body else body
    except (ValueError, RecursionError):
        return body


def _find_in_headers(headers: Mapping[str, str], now: float) -> float | None:
    values = {name.lower(): value.strip() for name, value in headers.items()}
    # LiteLLM's proxy passes the headers of its provider on under names of its own
    values = {name.removeprefix("llm_provider-"): value for name, value in values.items()} | values
    milliseconds = _parse_number(values.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _limit(milliseconds / 1000, now)
    return _parse_wait(values.get("retry-after", ""), now)


def _iter_body_waits(body: str, now: float) -> Iterator[float | None]:
    """Yield the waits in fields of a JSON body, such as Gemini's `retryDelay: "37s"`."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    yield from _iter_fields(value, now, depth=8)


def _iter_fields(value: object, now: float, depth: int) -> Iterator[float | None]:
    if isinstance(value, list) and depth:
        for item in cast("list[object]", value):
            yield from _iter_fields(item, now, depth - 1)
    if not isinstance(value, dict) or not depth:
        return
    for name, field in cast("dict[str, object]", value).items():
        plain = name.lower().replace("-", "_")
        if plain in _FIELDS:
            yield _parse_wait(str(field), now)
        elif plain in ("retry_after_ms", "retryafterms"):
            milliseconds = _parse_number(str(field))
            yield None if milliseconds is None else _limit(milliseconds / 1000, now)
        elif plain == "headers" and isinstance(field, dict):
            named = {str(key): str(each) for key, each in cast("dict[str, Any]", field).items()}
            yield _find_in_headers(named, now)
            yield _find_reset(named, now)
        else:
            yield from _iter_fields(field, now, depth - 1)


def _find_in_words(body: str, now: float) -> float | None:
    for match in _IN_WORDS.finditer(body[:_MAX_WORDS]):
        seconds = _read_duration(body[match.end() : match.end() + 60])
        if seconds is not None:
            return _limit(seconds, now)
    return _find_moment(body[:_MAX_WORDS], now)


def _find_moment(body: str, now: float) -> float | None:
    """Return the wait until a moment in words: GLM's `will reset at 2026-10-15 12:00:00`."""
    for match in _MOMENT.finditer(body):
        date = _DATE.match(body, match.end())
        if date is None:
            continue
        zone = date[3] or "+08:00"
        zone = "+00:00" if zone in ("UTC", "GMT", "Z") else zone
        wait = _parse_date(f"{date[1]}T{date[2]}{zone}", now)
        if wait:
            return wait
    return None


def _find_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Return the wait until the limits are reset of which nothing is left."""
    values = {name.lower(): value.strip() for name, value in headers.items()}
    waits: list[float] = []
    for name, value in values.items():
        if not (match := _RESET.fullmatch(name)):
            continue
        left = name.replace("reset", "remaining")
        if values.get(left, "0") != "0" and (match[1] or match[2]):
            continue
        if (wait := _parse_wait(value, now)) is not None:
            waits.append(wait)
    return max(waits, default=None)


def _parse_wait(words: str, now: float) -> float | None:
    """Parse seconds, a duration such as `1m30s`, a date, or a moment as a number."""
    if (number := _parse_number(words)) is not None:
        return _limit(number, now)
    duration = _read_duration(words)
    return _limit(duration, now) if duration is not None else _parse_date(words, now)


def _read_duration(words: str) -> float | None:
    """Return the seconds of `1h2m3.5s` or `2 minutes` at the beginning; None if there are none."""
    total, at = 0.0, 0
    while match := _PART.match(words, at):
        unit = match[2].lower()
        is_short = unit.startswith(("ms", "mill"))
        total += float(match[1]) * _UNITS["ms" if is_short else unit[0]]
        at = match.end()
        while words[at : at + 1] in (" ", ","):
            at += 1
    return total if at else None


def _limit(seconds: float, now: float) -> float | None:
    """Return the wait; a number above a month is a moment, and one that is none is ignored."""
    if seconds <= MAX_WAIT_SECONDS:
        return seconds
    moment = seconds / 1000 if seconds > _MILLISECONDS else seconds
    wait = max(0.0, moment - now)
    return wait if wait <= MAX_WAIT_SECONDS and moment > now - MAX_WAIT_SECONDS else None


def _parse_number(words: str) -> float | None:
    try:
        value = float(words)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _parse_date(words: str, now: float) -> float | None:
    try:
        if words[:4].isdecimal():
            moment = datetime.fromisoformat(words)
        else:
            moment = parsedate_to_datetime(words)
        wait = max(0.0, moment.timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return None
    return wait if wait <= MAX_WAIT_SECONDS else None
