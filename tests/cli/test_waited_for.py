import asyncio

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
