import asyncio
import os
import signal
from threading import Thread

import pytest

from maxagent.cli.prompts.sync_bridge import run_sync


async def work(fails: bool = False) -> asyncio.AbstractEventLoop:
    await asyncio.sleep(0)
    if fails:
        raise ValueError("it failed")
    return asyncio.get_running_loop()


def test_run_sync_without_loop_starts_one() -> None:
    assert run_sync(work()).is_closed()
    with pytest.raises(ValueError, match="it failed"):
        run_sync(work(fails=True))


async def test_inside_a_loop_it_is_waited_for_too() -> None:
    assert run_sync(work()) is not asyncio.get_running_loop()
    with pytest.raises(ValueError, match="it failed"):
        run_sync(work(fails=True))


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
            run_sync(endless())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended == [True]


async def test_signal_while_work_starts_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    start, process = Thread.start, list[Thread]()

    def hit(thread: Thread) -> None:
        start(thread)
        process.append(thread)
        raise LookupError("gone")

    monkeypatch.setattr(Thread, "start", hit)
    with pytest.raises(LookupError, match="gone"):
        run_sync(asyncio.Event().wait())
    process[0].join(timeout=60)
    assert not process[0].is_alive()
