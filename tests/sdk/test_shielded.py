import asyncio

import pytest

from maxagent.sdk.shielded import to_its_end


async def test_work_goes_on_to_its_end_however_often_it_is_stopped() -> None:
    may_end, ended = asyncio.Event(), list[str]()

    async def work() -> None:
        await may_end.wait()
        ended.append("well")

    waiting = asyncio.ensure_future(to_its_end(work()))
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

    assert await to_its_end(divided(by=2)) == 3
    with pytest.raises(ZeroDivisionError):
        await to_its_end(divided(by=0))
