"""One run of one thread: which model it is given, and for how long."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from repair_project import last_of
from talk import Talk, says

from maxagent import Answer, Runner
from maxagent.memory.checkpoints.saver import CheckpointSaver
from maxagent.nodes.run.context import Context
from maxagent.sdk.events import Question, RunStarted

WRITE = {"path": "new.txt", "content": "new\n"}
Talks = Callable[..., Talk]


@pytest.fixture
def talks(tmp_path: Path, runner: Runner) -> Talks:
    return lambda *turns: Talk(tmp_path, runner, *turns)


async def test_model_named_at_question_holds_from_then_on(talks: Talks, runner: Runner) -> None:
    talk = talks(says(write_file=WRITE))
    asked = await talk.say("write it")
    other = talk.script(says("unused"), says("Written."), says("Again."))

    again = await last_of(runner.resume(talk.thread, context=Context(model=other)))
    assert isinstance(again, Question) and again.id == asked.id
    assert (await runner.options_of(talk.thread))["model"] == other

    end = await last_of(runner.resume(talk.thread, Answer(approve=True)))
    assert end.summary == "Written."
    assert (await talk.say("and again")).summary == "Again."


@pytest.mark.parametrize("endpoint", ["", "http://127.0.0.1:9/v1"])
async def test_model_named_after_turn_answers_next_message(
    talks: Talks, runner: Runner, endpoint: str
) -> None:
    talk = talks(says("Hello."))
    await talk.say("hi", turn_model=talk.options["model"])
    other = talk.script(says("unused"), says("Other."))
    context = Context(model=other, base_url=endpoint)
    assert (await last_of(runner.resume(talk.thread, context=context))).summary == "Hello."
    assert (await talk.say("and now")).summary == "Other."
    saved = await runner.options_of(talk.thread)
    assert (saved["model"], saved.get("base_url", "")) == (other, endpoint)


async def test_model_named_last_holds_when_named_twice(talks: Talks, runner: Runner) -> None:
    talk = talks(says("Hello."))
    await talk.say("hi")
    first, last = talk.script(), talk.script(says("unused"), says("Last."))
    for model in (first, last):
        await last_of(runner.resume(talk.thread, context=Context(model=model)))
    end = await talk.say("and now")
    assert (end.summary, talk.heard(RunStarted)[0].model) == ("Last.", last)


async def test_model_named_before_first_step_is_kept(talks: Talks, runner: Runner) -> None:
    talk = talks()
    failed = await talk.say("hi")
    other = talk.script(says("Hello."))
    end = await last_of(runner.resume(failed.thread_id, context=Context(model=other)))
    assert end.summary == "Hello."
    assert (await runner.options_of(failed.thread_id))["model"] == other


async def test_thread_killed_at_first_checkpoint_keeps_its_model(
    talks: Talks, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = talks(says("Hello."))
    aput = CheckpointSaver.aput

    async def fail_at_second(self: CheckpointSaver, config: Any, *remainder: Any) -> Any:
        if config["configurable"].get("checkpoint_id"):
            raise OSError("the process is gone")
        return await aput(self, config, *remainder)

    async def fail(*arguments: Any) -> None:
        raise OSError("the process is gone")

    monkeypatch.setattr(CheckpointSaver, "aput", fail_at_second)
    monkeypatch.setattr(CheckpointSaver, "aput_writes", fail)
    with suppress(AssertionError, OSError):
        await talk.say("hi")
    monkeypatch.undo()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    row = runner.threads.list()[0]
    events = [event async for event in runner.resume(row.thread_id)]
    assert isinstance(events[0], RunStarted) and events[0].model == talk.options["model"]
    assert events[-1].summary == "Hello."
