"""Which failure is a limit that parks the thread, and until when."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from langgraph.runtime import Runtime

from maxagent.models.errors import (
    ContentRefusedError,
    ModelCallError,
    ProviderFaultError,
    QuotaExhaustedError,
    RateLimitError,
)
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel
from maxagent.nodes.run.context import Context
from maxagent.nodes.turn import provider_limit
from maxagent.nodes.turn.provider_limit import format_moment, park_at_limit, record_failure

MODEL = ResolvedModel(load_providers()["openai"], "gpt-4o", "http://x", "key")


@pytest.mark.parametrize(
    ("error", "is_limit"),
    [
        (QuotaExhaustedError("spent"), True),
        (QuotaExhaustedError("spent", retry_after=3), True),
        (RateLimitError("slow down"), False),
        (RateLimitError("slow down", retry_after=120), False),
        (RateLimitError("slow down", retry_after=121), True),
        (ProviderFaultError("overloaded", retry_after=3600), True),
        (ProviderFaultError("overloaded"), False),
        (ContentRefusedError("no", retry_after=3600), False),
    ],
)
def test_long_waits_and_spent_quotas_are_limits(error: ModelCallError, is_limit: bool) -> None:
    assert record_failure(MODEL, error).is_limit is is_limit


def test_failure_says_until_when_if_the_provider_does() -> None:
    assert record_failure(MODEL, QuotaExhaustedError("spent")).until is None
    until = record_failure(MODEL, RateLimitError("slow down", retry_after=600)).until
    assert until is not None and abs(until - time.time() - 600) < 60
    assert datetime.fromisoformat(format_moment(until)).timestamp() == int(until)


def test_without_a_limit_the_thread_does_not_park() -> None:
    park_at_limit([record_failure(MODEL, RateLimitError("slow down"))])
    park_at_limit([])


async def measure(seconds: float) -> tuple[float, list[Any]]:
    message = list[Any]()
    write: Callable[[Any], None] = message.append
    started = asyncio.get_running_loop().time()
    await provider_limit.wait_before_retry(Runtime(context=Context(), stream_writer=write), seconds)
    return asyncio.get_running_loop().time() - started, message


async def test_a_short_wait_is_silent() -> None:
    result, message = await measure(0.05)
    assert (result >= 0.04, message) == (True, [])


async def test_a_long_wait_gives_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_limit, "HEARTBEAT", 0.4)
    result, message = await measure(1.0)
    assert result >= 0.9
    assert [(event["task"], event["total"]) for event in message] == [("wait", 1)] * 2
