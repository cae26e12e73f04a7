import asyncio
import os
import signal

import pytest

from maxagent.cli.waited_for import waited_for


async def work(fails: bool = False) -> asyncio.AbstractEventLoop:
    await asyncio.sleep(0)
    if fails:
        raise ValueError("it failed")
    return asyncio.get_running_loop()


def test_without_a_loop_the_work_has_one_for_itself() -> None:
    assert waited_for(work()).is_closed()
    with pytest.raises(ValueError, match="it failed"):
        waited_for(work(fails=True))


async def test_inside_a_loop_it_is_waited_for_too() -> None:
    assert waited_for(work()) is not asyncio.get_running_loop()
    with pytest.raises(ValueError, match="it failed"):
        waited_for(work(fails=True))


async def test_whoever_waits_no_longer_ends_the_work() -> None:
    ended: list[bool] = []

    async def endless() -> None:
        try:
            asyncio.get_running_loop().call_later(0.1, os.kill, os.getpid(), signal.SIGUSR1)
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    def leave(_: int, __: object) -> None:
        raise LookupError("gone")

    before = signal.signal(signal.SIGUSR1, leave)
    try:
        with pytest.raises(LookupError, match="gone"):
            waited_for(endless())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended == [True]
