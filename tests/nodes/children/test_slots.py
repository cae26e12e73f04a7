import asyncio

from maxagent.nodes.children.slots import ChildSlots


async def test_no_more_children_work_at_once() -> None:
    slots, working, most = ChildSlots(2), 0, 0

    async def work() -> None:
        nonlocal working, most
        async with slots.take():
            working += 1
            most = max(most, working)
            await asyncio.sleep(0)
            working -= 1

    await asyncio.gather(*(work() for _ in range(6)))
    assert most == 2


async def test_a_stopped_child_waits_for_the_others() -> None:
    slots, ended, event = ChildSlots(2), list[str](), asyncio.Event()

    async def work() -> None:
        async with slots.take():
            await event.wait()
            ended.append("works")

    async def stop() -> None:
        async with slots.take():
            pass
        event.set()
        await slots.wait_idle()
        ended.append("stopped")

    await asyncio.gather(work(), stop())
    assert ended == ["works", "stopped"]
