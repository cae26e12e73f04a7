import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from spoken import Spoken

from maxagent.cli.repl.conversation import Conversation
from maxagent.config.errors import UsageError


@pytest.fixture
async def talk(spoken: Spoken) -> AsyncIterator[Conversation]:
    """A conversation whose runner is still being opened."""
    talk = Conversation()
    talk.session = spoken.session
    yield talk


async def began(talk: Conversation) -> "asyncio.Future[None]":
    """Let it work until it has begun with its first line."""
    running = asyncio.ensure_future(talk.run())
    async with asyncio.timeout(20):
        while not talk.working:
            await asyncio.sleep(0)
    return running


async def test_lines_are_done_in_order_and_what_is_wrong_is_told(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    for line in ("  ", "/nope", "# a note", "/exit", "never reached"):
        talk.submit(line)
    await talk.run()
    shown = capfd.readouterr().out
    assert shown.index("`/nope`") < shown.index("notes.md")
    assert talk.inbox.waiting == ("never reached",)


async def test_an_unforeseen_error_ends_nothing(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.session.opened.set_exception(RuntimeError("nobody foresaw it"))
    talk.submit("hello")
    talk.submit("/exit")
    await talk.run()
    assert "error: " in (shown := capfd.readouterr().out) and "Traceback" not in shown


async def test_what_goes_on_can_be_stopped_and_what_waits_is_not_sent(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.submit("waits for the runner")
    running = await began(talk)
    talk.submit("later")
    assert "0 s" in talk.busy
    talk.interrupt()
    talk.interrupt()
    async with asyncio.timeout(20):
        while talk.working:
            await asyncio.sleep(0)
    assert (talk.busy, talk.inbox.waiting, running.done()) == ("", (), False)
    assert "Stopped" in capfd.readouterr().out
    talk.leave()
    await running


async def test_whoever_leaves_stops_what_goes_on(talk: Conversation) -> None:
    talk.submit("waits for the runner")
    running = await began(talk)
    talk.leave()
    async with asyncio.timeout(20):
        await running


async def test_whoever_leaves_behind_an_answer_stops_nothing(
    talk: Conversation, capfd: pytest.CaptureFixture[str]
) -> None:
    talk.submit("waits for the runner")
    running = await began(talk)
    talk.leave()
    talk.session.opened.set_exception(UsageError("it ended"))
    async with asyncio.timeout(20):
        await running
    assert "it ended" in (shown := capfd.readouterr().out) and "Stopped" not in shown


def test_a_second_ctrl_c_leaves(talk: Conversation, capfd: pytest.CaptureFixture[str]) -> None:
    assert (talk.may_leave(), talk.may_leave()) == (False, True)
    assert capfd.readouterr().out.count("Ctrl-C") == 1


def test_plan_and_build_take_turns(talk: Conversation, tmp_path: Path) -> None:
    assert not talk.session.plan
    talk.session.agent = "plan"
    talk.switch_mode()
    assert talk.session.plan
    talk.switch_mode()
    assert (talk.session.plan, talk.session.agent) == (False, "build")
