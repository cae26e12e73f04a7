import asyncio

from maxagent.cli.repl.input_loop_inbox import Inbox


async def test_lines_come_in_order_and_the_last_one_can_be_taken_back() -> None:
    inbox = Inbox()
    for line in "abc":
        inbox.put(line)
    assert (inbox.waiting, inbox.take_back()) == (("a", "b", "c"), "c")
    assert [await inbox.next(), await inbox.next()] == ["a", "b"]
    assert (inbox.waiting, inbox.take_back(), inbox.take_all()) == ((), "", [])


async def test_who_waits_gets_the_next_line_that_stays() -> None:
    inbox = Inbox()
    waiting = asyncio.ensure_future(inbox.next())
    await asyncio.sleep(0)
    inbox.put("taken back")
    assert inbox.take_all() == ["taken back"]
    await asyncio.sleep(0)
    inbox.put("stays")
    assert await waiting == "stays"
