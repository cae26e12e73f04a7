"""TODO: what this is."""

import asyncio

import pytest

from maxagent.sdk.cancel_shield import run_shielded


async def test_shielded_work_completes_despite_repeated_cancellation() -> None:
    may_end, ended = asyncio.Event(), list[str]()

    async def work() -> None:
        await may_end.wait()
        ended.append("well")

    waiting = asyncio.ensure_future(run_shielded(work()))
    for _ in range(3):
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended == ["well"]


async def test_its_answer_or_error_is_handed_on() -> None:
    async def divided(by: int) -> float:
        return 6 / by

    assert await run_shielded(divided(by=2)) == 3
    with pytest.raises(ZeroDivisionError):
        await run_shielded(divided(by=0))
