"""The wait before a repeated request."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from maxagent.nodes.run.context import Context
from maxagent.nodes.turn import limit_wait


async def measure(seconds: float) -> tuple[float, list[Any]]:
    told = list[Any]()
    write: Callable[[Any], None] = told.append
    started = asyncio.get_running_loop().time()
    await limit_wait.wait_before_retry(Runtime(context=Context(), stream_writer=write), seconds)
    return asyncio.get_running_loop().time() - started, told


async def test_a_short_wait_is_silent() -> None:
    taken, told = await measure(0.05)
    assert (taken >= 0.04, told) == (True, [])


async def test_a_long_wait_gives_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit_wait, "HEARTBEAT", 0.4)
    taken, told = await measure(1.0)
    assert taken >= 0.9
    assert [(event["task"], event["total"]) for event in told] == [("wait", 1)] * 2
