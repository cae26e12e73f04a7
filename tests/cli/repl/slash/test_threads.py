from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from repl_session import Spoken

from maxagent import Runner
from maxagent.config.errors import UsageError
from maxagent.memory.threads.index import ThreadIndex

FIRST = "aaaaaaaa-0000-4000-8000-000000000000"
SECOND = "bbbbbbbb-0000-4000-8000-000000000000"
TASK = "cccccccc-0000-4000-8000-000000000000"
ELSEWHERE = "dddddddd-0000-4000-8000-000000000000"


@pytest.fixture(autouse=True)
async def threads(spoken: Spoken, tmp_path: Path) -> AsyncIterator[None]:
    spoken.begun(FIRST)
    spoken.begun(SECOND)
    spoken.begun(TASK, graph="task")
    spoken.begun(ELSEWHERE, folder=tmp_path)
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield


async def test_a_new_conversation_says_how_to_come_back(spoken: Spoken) -> None:
    spoken.session.thread, spoken.session.options = FIRST, {"model": "openai/gpt-4o"}
    first, back = (await spoken("/new")).splitlines()
    assert "new conversation" in first and "`/resume aaaaaaaa`" in back
    assert spoken.session.thread == ""
    assert spoken.session.options == {"model": "openai/gpt-4o"}
    assert len((await spoken("/clear")).splitlines()) == 1


async def test_the_folders_conversations_are_listed_and_switched_between(spoken: Spoken) -> None:
    spoken.session.options = {"plan": True}
    spoken.write("home/config.yaml", "model: {default: openai/own}\n")
    output = await spoken("/sessions")
    assert "aaaaaaaa" in output and "bbbbbbbb" in output
    assert "cccccccc" not in output and "dddddddd" not in output
    assert "About bbbb" in await spoken("/sessions bbbb")
    assert (spoken.session.thread, spoken.session.plan) == (SECOND, False)
    assert (spoken.session.model, spoken.session.mode) == ("openai/own", "ask")
    await spoken("/rename carts")
    await spoken("/resume aaaaaaaa")
    assert spoken.session.thread == FIRST
    await spoken("/continue carts")
    assert spoken.session.thread == SECOND


@pytest.mark.parametrize(
    ("name", "reason", "hint"),
    [
        ("cccccccc", "not a conversation", "`mcode resume cccccccc`"),
        ("dddddddd", "belongs to", "`mcode chat --resume dddddddd`"),
        ("nobody", "nobody", ""),
    ],
)
async def test_thread_that_cannot_resume_here_says_why(
    spoken: Spoken, name: str, reason: str, hint: str
) -> None:
    spoken.session.thread = FIRST
    with pytest.raises(UsageError, match=reason) as error_info:
        await spoken(f"/resume {name}")
    assert hint in error_info.value.hint and spoken.session.thread == FIRST


@pytest.mark.parametrize("line", ["/diff", "/undo", "/redo", "/rewind", "/fork", "/rename x"])
async def test_thread_commands_before_first_message_are_refused(spoken: Spoken, line: str) -> None:
    with pytest.raises(UsageError, match="No conversation yet"):
        await spoken(line)


async def test_a_thread_keeps_its_name(spoken: Spoken) -> None:
    spoken.session.thread = FIRST
    await spoken("/rename The carts")
    assert ThreadIndex(spoken.home).get(FIRST).name == "The carts"
    with pytest.raises(UsageError, match="name"):
        await spoken("/rename")
