from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.memory.journal import Journal

Talks = Callable[..., Talk]
APPEND = {"command": "echo x >> log.txt"}


@pytest.fixture
async def talks(tmp_path: Path) -> AsyncIterator[Talks]:
    async with Runner(home=tmp_path / "home") as runner:
        yield lambda *turns: Talk(tmp_path, runner, *turns)


async def test_finished_call_keeps_its_result_when_abandoned(talks: Talks) -> None:
    talk = talks(says(run_command=APPEND), says("As you like."))
    await talk.say("append")
    call = (await talk.state())["messages"][-1].tool_calls[0]["id"]
    journal = Journal(talk.runner.home / "data" / "threads.db")
    journal.begin_call(talk.thread, call, "run_command")
    journal.finish_call(talk.thread, call, {"output": "it had run"})
    journal.close()
    await talk.say("never mind", abandon=True)
    assert (await talk.state())["messages"][2].text == "it had run"


async def test_interrupted_call_is_reported_as_possibly_done(talks: Talks) -> None:
    talk = talks(says(run_command=APPEND), says("As you like."))
    await talk.say("append")
    call = (await talk.state())["messages"][-1].tool_calls[0]["id"]
    journal = Journal(talk.runner.home / "data" / "threads.db")
    journal.begin_call(talk.thread, call, "run_command")
    journal.close()
    await talk.say("never mind", abandon=True)
    assert "look before you repeat it" in (await talk.state())["messages"][2].text


async def test_mention_shows_only_files_the_agent_may_read(talks: Talks, tmp_path: Path) -> None:
    talk = talks(says("One."), says("Two."))
    (talk.folder / "a.txt").write_text("content of a\n")
    agents = tmp_path / "home" / "agents"
    agents.mkdir(parents=True)
    (agents / "blind.md").write_text(
        "---\ndescription: d\npermissions: {deny: [read_file]}\n---\nLook away.\n"
    )
    await talk.say("what is in @a.txt?", agent="blind")
    texts = [message.text for message in (await talk.state())["messages"]]
    assert not any("content of a" in text for text in texts)
    await talk.say("and you, @a.txt?")
    texts = [message.text for message in (await talk.state())["messages"]]
    assert any("content of a" in text for text in texts)


async def test_side_context_is_sent_once_and_mentions_nothing(talks: Talks) -> None:
    talk = talks(says("One."), says("Two."))
    await talk.say("The plan?", plan=True, aside=["The user ran `ls`."])
    await talk.say("More.")
    state = await talk.state()
    [aside] = [item for item in state["messages"] if item.text == "The user ran `ls`."]
    assert (
        aside.additional_kwargs["synthetic"]
        and aside.additional_kwargs["aside"]
        and "aside" not in state["options"]
    )
    assert state["options"]["plan_file"].endswith("-the-plan.md")
