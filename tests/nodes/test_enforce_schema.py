"""An answer that has to fit a schema: told to the model, tried again, given up in the end."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.nodes.enforce_schema import ROUNDS
from maxagent.sdk.events import Notice

NAMES = {"type": "object", "required": ["names"], "properties": {"names": {"type": "array"}}}


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


async def told(talk: Talk) -> list[str]:
    """What the graph itself put into the conversation."""
    messages = (await talk.state())["messages"]
    return [message.text for message in messages if message.additional_kwargs.get("synthetic")]


@pytest.mark.parametrize(
    "answer", ['{"names": ["a"]}', 'Here:\n```json\n{"names": ["a"]}\n```', "{'names': ['a',],}"]
)
async def test_the_answer_is_its_json(answer: str, tmp_path: Path, runner: Runner) -> None:
    talk = Talk(tmp_path, runner, says("Looking.", list_files={}), says(answer))
    end = await talk.say("who?", schema=NAMES)
    assert (end.outcome, end.summary) == ("answered", '{"names": ["a"]}')
    [asked] = await told(talk)
    assert '"required": ["names"]' in asked


async def test_what_is_wrong_is_reported_until_it_fits(tmp_path: Path, runner: Runner) -> None:
    talk = Talk(tmp_path, runner, says("They are a and b."), says("{}"), says('{"names": []}'))
    end = await talk.say("who?", schema=NAMES)
    assert (end.outcome, end.summary) == ("answered", '{"names": []}')
    _, first, second = await told(talk)
    assert "- it is not valid JSON" in first and "- `$`: 'names' is a required property" in second


async def test_answer_that_never_fits_fails_and_thread_continues(
    tmp_path: Path, runner: Runner
) -> None:
    talk = Talk(tmp_path, runner, *[says("No.")] * (ROUNDS + 1), says("Gladly."))
    end = await talk.say("who?", schema=NAMES)
    assert (end.outcome, end.summary) == ("failed", "No.")
    notices = [item.text for item in talk.heard(Notice)]
    assert notices[-1].startswith("No answer fits the schema") and "not valid JSON" in notices[-1]
    assert (
        sum("the model is asked again: it is not valid JSON" in notice for notice in notices)
        == ROUNDS
    )
    assert runner.threads.get(talk.thread).status == "failed"
    end = await talk.say("then in words")
    assert (end.outcome, end.summary) == ("answered", "Gladly.")


async def test_plan_mode_answers_by_a_schema_too(tmp_path: Path, runner: Runner) -> None:
    talk = Talk(tmp_path, runner, says("Hm."), says('{"names": []}'))
    assert (await talk.say("who?", plan=True, schema=NAMES)).summary == '{"names": []}'
