"""Model turns and dollars of one message: the thread parks at a limit and can go on."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from provider import Provider
from talk import Talk, says

from maxagent import Runner
from maxagent.sdk.events import Completion, Notice, Question

LOOK = says("Looking.", list_files={})
MILLION = {"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000}
"""What 2 dollars buy of `openai/gpt-4.1`."""
CALL = {"tool_calls": [{"name": "list_files", "args": {}}], "usage": MILLION}


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def served(
    tmp_path: Path, runner: Runner, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> Talk:
    """A conversation with a model that has a price, until it is told another one."""
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    monkeypatch.setenv("LLC_CONTEXT__AUTO_COMPACT", "false")  # its million tokens would be cut
    talk = Talk(tmp_path, runner)
    talk.options = {"model": "openai/gpt-4.1", "base_url": provider.url}
    return talk


async def went_on(talk: Talk) -> Any:
    return [event async for event in talk.runner.resume(talk.thread)][-1]


def warnings(talk: Talk) -> list[str]:
    return [item.text for item in talk.heard(Notice) if "limit of $" in item.text]


async def test_model_turns_are_those_of_one_message(tmp_path: Path, runner: Runner) -> None:
    talk = Talk(tmp_path, runner, LOOK, LOOK, says("One."), LOOK, says("Two."))
    parked = await talk.say("look", max_turns=2)
    assert isinstance(parked, Question)
    assert (parked.kind, parked.description) == ("limit", "2 model turns used")
    assert runner.threads.get(talk.thread).status == "limit"
    assert (await went_on(talk)).summary == "One."
    assert (await talk.say("again", max_turns=2)).summary == "Two."


async def test_at_a_limit_another_answer_is_possible(tmp_path: Path, runner: Runner) -> None:
    talk = Talk(tmp_path, runner, LOOK, LOOK, says("Done."))
    assert (await talk.say("look", max_turns=1)).kind == "limit"
    assert (await talk.say("that is enough")).summary == "Done."


async def test_dollars_are_those_of_one_message(served: Talk, provider: Provider) -> None:
    provider.script([CALL, CALL, CALL, {"text": "One."}, CALL, {"text": "Two."}])
    parked = await served.say("look", max_cost=4.0)
    assert (parked.kind, parked.description) == ("limit", "at least $4 spent")
    assert len(provider.requests) == 2
    assert (await went_on(served)).summary == "One."
    assert (await served.say("again", max_cost=4.0)).summary == "Two."
    assert warnings(served) == []


async def test_both_limits_are_reported_at_once(served: Talk, provider: Provider) -> None:
    provider.script([CALL, {"text": "Done."}])
    parked = await served.say("look", max_cost=1.0, max_turns=1)
    assert parked.description == "1 model turn used and at least $1 spent"
    assert (await went_on(served)).summary == "Done."


async def test_unknown_price_is_reported_once(served: Talk, provider: Provider) -> None:
    provider.script([CALL, CALL, {"text": "Done."}, {"text": "More."}])
    assert isinstance(await served.say("look", model="openai/unheard-of", max_cost=1.0), Completion)
    assert warnings(served) == [
        "The limit of $1 cannot be enforced: the price of `openai/unheard-of` is unknown"
    ]
    await served.say("more", model="openai/gpt-4.1", max_cost=2.0)
    assert warnings(served) == [
        "The limit of $2 cannot be enforced: the earlier cost of the thread is unknown"
    ]


async def test_limits_do_not_carry_over_to_next_message(tmp_path: Path, runner: Runner) -> None:
    talk = Talk(tmp_path, runner, says("One."), LOOK, LOOK, says("Two."))
    await talk.say("one", max_turns=1, max_cost=1.0)
    assert (await talk.say("two")).summary == "Two."
    assert not {"max_turns", "max_cost", "schema"} & (await talk.state())["options"].keys()
