"""One run of one thread: which model it is given, and for how long."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from repair_project import last_of
from talk import Talk, says

from maxagent import Answer, Runner
from maxagent.memory.checkpoints.saver import CheckpointSaver
from maxagent.nodes.run.context import Context
from maxagent.sdk.events import Progress, Question, RunStarted
from maxagent.sdk.run import compute_time_left, wait_for_limit

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


def ask(seconds: float | None, kind: Any = "limit") -> Question:
    moment = datetime.now(UTC) + timedelta(seconds=seconds or 0)
    until = "" if seconds is None else moment.isoformat()
    return Question("t", "q", kind, [], [], until=until)


async def gather(question: Question, *, is_stopping: bool = False) -> list[Progress]:
    return [event async for event in wait_for_limit(question, lambda: is_stopping)]


@pytest.mark.parametrize(
    ("seconds", "kind", "low", "high"),
    [
        (None, "limit", 0, 0),
        (-5, "limit", 0, 0),
        (86_400, "limit", 86_000, 86_400),
        (86_400, "approval", 0, 0),
    ],
)
def test_time_left_is_that_of_a_limit(
    seconds: float | None, kind: str, low: float, high: float
) -> None:
    assert low <= compute_time_left(ask(seconds, kind)) <= high


async def test_the_wait_ends_with_the_limit() -> None:
    question = ask(0.3)
    (told,) = await gather(question)
    assert (told.task, told.done) == ("wait", 0)
    assert compute_time_left(question) == 0


async def test_nothing_is_waited_for_when_it_is_over_or_stopped() -> None:
    assert await gather(ask(-1)) == []
    assert await gather(ask(None)) == []
    assert await gather(ask(86_400), is_stopping=True) == []


@pytest.mark.parametrize("hours", [-9000, -24, -1, 1, 9000])
async def test_wait_ends_when_clock_is_changed(
    monkeypatch: pytest.MonkeyPatch, hours: float
) -> None:
    question, now, waited = ask(0.3), time.time, list[Progress]()
    async for progress in wait_for_limit(question, lambda: False):
        monkeypatch.setattr(time, "time", lambda: now() + hours * 3600)
        waited.append(progress)
    assert [progress.total for progress in waited] == [0]
