"""The wait before a repeated request."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from maxagent.nodes.run.context import Context
from maxagent.nodes.turn import limit_wait


async def measure(seconds: float) -> tuple[float, list[Any]]:
    message = list[Any]()
    write: Callable[[Any], None] = message.append
    started = asyncio.get_running_loop().time()
    await limit_wait.wait_before_retry(Runtime(context=Context(), stream_writer=write), seconds)
    return asyncio.get_running_loop().time() - started, message


async def test_a_short_wait_is_silent() -> None:
    result, message = await measure(0.05)
    assert (result >= 0.04, message) == (True, [])


async def test_a_long_wait_gives_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit_wait, "HEARTBEAT", 0.4)
    result, message = await measure(1.0)
    assert result >= 0.9
    assert [(event["task"], event["total"]) for event in message] == [("wait", 1)] * 2
