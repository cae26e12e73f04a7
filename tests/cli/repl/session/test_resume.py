"""What a conversation shows when it is gone on with."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, trust
from maxagent.cli.rendering.transcript import show_transcript
from maxagent.cli.repl.session.message import run_message
from maxagent.cli.repl.session.session import Session
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.threads.transcript import read_transcript

ASKS = {
    "text": "I make it.",
    "tool_calls": [{"name": "run_command", "args": {"command": "touch made"}}],
}


@pytest.fixture
async def talk(spoken: Spoken, provider: Provider) -> AsyncIterator[Spoken]:
    trust(spoken.project, spoken.home)
    spoken.write(
        "home/config.yaml",
        f"model: {{default: openai/served}}\nlitellm: {{base_url: '{provider.url}'}}\n",
    )
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield spoken


def come_again(talk: Spoken) -> str:
    """The same folder at another terminal; the thread that was spoken with."""
    before = talk.session
    talk.session = Session(talk.project, home=talk.home, prompt=before.prompt, opened=before.opened)
    return before.thread


async def test_the_last_exchange_is_shown_and_the_mode(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "Old."}, {"text": "\n\n".join(f"**line {n}**" for n in range(20))}])
    await talk.say("first")
    talk.session.plan = True
    await talk.say("\n".join(["second", *map(str, range(20)), "last"]))
    thread = come_again(talk)
    output = await talk(f"/resume {thread}")
    assert f"{thread[:8]}: first" in output and "› second\n  0\n" in output
    assert "line 19" in output and "**" not in output and "…" in output
    assert not any(name in output for name in ("Old.", "line 0\n", "last", "cut short"))
    assert talk.session.plan


async def test_an_open_question_is_asked_at_once(talk: Spoken, provider: Provider) -> None:
    provider.script([ASKS, {"text": "Made."}])
    await talk.say("make it", typed="")
    thread = come_again(talk)
    output = await talk(f"/resume {thread}", typed="yes\n")
    assert output.index("› make it") < output.index("I make it.") < output.index("touch made")
    assert "Made." in output and (talk.project / "made").exists()


async def test_what_was_cut_short_is_reported(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "Said so far.\n\nAnd more, at length.", "hang_after": 3}])
    saying = asyncio.ensure_future(run_message(talk.session, "hi"))
    async with asyncio.timeout(60):
        while "Said so far." not in talk.seen:
            await asyncio.sleep(0.01)
    saying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saying
    thread = come_again(talk)
    output = await talk(f"/resume {thread}")
    assert output.index("Said so far.") < output.index("interrupted here")
    assert "The last turn was interrupted" in output
    show_transcript(read_transcript(ThreadIndex(talk.home).get(thread), talk.home), diffs=False)
    assert "build  interrupted here\n  Said so far.\n" in talk.seen


async def test_what_holds_in_the_thread_is_known_again(talk: Spoken, provider: Provider) -> None:
    provider.script([{"text": "Hello."}, {"text": "Again."}])
    await talk.say("hi")
    talk.session.options = {"mode": "auto", "model": "openai/later", "plan": True}
    await talk.say("go on")
    used = talk.session.usage
    thread = come_again(talk)
    await talk(f"/resume {thread}")
    session = talk.session
    assert used and used.requests == 2 and used.window
    assert session.usage == replace(used, request={}, seconds=0.0)
    session.usage = None
    assert (await talk("/cost")).startswith("2 requests; ")
    assert (session.model, session.mode, session.plan) == ("openai/later", "auto", True)
    assert session.options == {}
    assert "auto" in (await talk("/permissions")).splitlines()[0]
