from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.sdk.events import ModeChanged, Question, RunStarted, ToolResult

Talks = Callable[..., Talk]
ENTER, EXIT = says(plan_enter={"reason": "it is large"}), says(plan_exit={})


@pytest.fixture
async def talks(tmp_path: Path) -> AsyncIterator[Talks]:
    async with Runner(home=tmp_path / "home") as runner:
        yield lambda *turns: Talk(tmp_path, runner, *turns)


async def _planned(talk: Talk) -> Path:
    """Into plan mode, and the plan is written as the model would: the file that it was told."""
    await talk.say("large work")
    await talk.answer(approve=True)
    [changed] = talk.heard(ModeChanged)
    plan = talk.folder / changed.plan
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("1. all\n")
    return plan


async def test_plan_mode_starts_only_when_human_agrees(talks: Talks) -> None:
    talk = talks(ENTER, says("Then I build."))
    asked = await talk.say("large work")
    assert isinstance(asked, Question) and asked.kind == "switch"
    assert asked.action_requests[0]["args"] == {"reason": "it is large"}
    await talk.answer(reject="just do it")
    [result] = talk.heard(ToolResult)
    assert "just do it" in result.error and not talk.heard(ModeChanged)
    assert (await talk.state())["role"] == "build"


async def test_plan_exit_without_plan_names_the_plan_file(talks: Talks) -> None:
    talk = talks(ENTER, EXIT, says("I see."))
    await talk.say("large work")
    end = await talk.answer(approve=True)
    assert end.summary == "I see."
    assert ".llc/plans/" in talk.heard(ToolResult)[-1].error


async def test_an_approved_plan_is_what_build_mode_reads(talks: Talks) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("Built."))
    plan = await _planned(talk)
    asked = await talk.say("show it")
    assert asked.action_requests[0]["args"]["text"] == "1. all"
    end = await talk.decide(type="approve", mode="edits")
    assert end.summary == "Built."
    state = await talk.state()
    assert state["role"] == "build" and state["options"]["mode"] == "edits"
    received = next(m for m in reversed(state["messages"]) if m.type == "tool").text
    assert "1. all" in received and plan.name in received
    await talk.say("more", abandon=True)
    assert talk.heard(RunStarted)[0].mode == "edits"


async def test_build_mode_reads_plan_as_edited_by_human(talks: Talks) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("Built."))
    plan = await _planned(talk)
    await talk.say("show it")
    edited = {"name": "plan_exit", "args": {"text": "1. half of it"}}
    await talk.decide(type="edit", edited_action=edited)
    assert plan.read_text() == "1. half of it\n"
    assert "1. half of it" in talk.heard(ToolResult)[0].output


async def test_refused_plan_stays_in_plan_mode_with_reason(talks: Talks) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("I change it."))
    await _planned(talk)
    await talk.say("show it")
    await talk.answer(reject="too large")
    state = await talk.state()
    assert state["role"] == "plan" and "too large" in talk.heard(ToolResult)[0].error


def _draft(text: str, **chosen: str) -> dict[str, object]:
    edited = {"name": "plan_exit", "args": {"text": text}}
    return {"type": "edit", "edited_action": edited, "draft": True, **chosen}


async def test_draft_is_saved_and_chosen_settings_are_kept(
    talks: Talks,
) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("Built."))
    plan = await _planned(talk)
    await talk.say("show it")
    again = await talk.decide(**_draft("1. half of it", mode="edits"))
    assert plan.read_text() == "1. half of it\n"
    assert isinstance(again, Question) and again.kind == "switch"
    [request] = again.action_requests
    assert request["args"]["text"] == "1. half of it" and request["chosen"] == {"mode": "edits"}
    await talk.answer(approve=True)  # perhaps in another shell
    assert "1. half of it" in talk.heard(ToolResult)[0].output
    state = await talk.state()
    assert state["options"]["mode"] == "edits" and not state["draft"]


@pytest.mark.parametrize("by_hand", [False, True])
async def test_human_plan_edits_survive_refusal_and_are_reported(
    talks: Talks, by_hand: bool
) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("I change it."))
    plan = await _planned(talk)
    await talk.say("show it")
    if by_hand:
        plan.write_text("1. half of it\n")
        await talk.answer(approve=True)
    else:
        await talk.decide(**_draft("1. half of it"))
    await talk.answer(reject="not yet")
    assert plan.read_text() == "1. half of it\n"
    error = talk.heard(ToolResult)[0].error
    assert "not yet" in error and "has changed the plan" in error and "1. half of it" in error


async def test_model_cannot_choose_who_carries_out_plan(talks: Talks) -> None:
    boast = says(plan_exit={"mode": "auto", "model": "a/b"})
    talk = talks(ENTER, says("Look."), boast, says("Built."))
    await _planned(talk)
    asked = await talk.say("show it", mode="edits")
    assert "chosen" not in asked.action_requests[0]
    await talk.answer(approve=True)
    assert (await talk.state())["options"]["mode"] == "edits"


async def test_beside_other_calls_it_is_refused(talks: Talks) -> None:
    talk = talks(says(plan_enter={}, list_files={}), says("Alone, then."))
    end = await talk.say("large work")
    assert end.summary == "Alone, then."
    refused, entries = sorted(talk.heard(ToolResult), key=lambda item: item.ok)
    assert "alone" in refused.error and entries.ok


async def test_an_edit_without_a_text_asks_again(talks: Talks) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("Built."))
    await _planned(talk)
    await talk.say("show it")
    again = await talk.decide(type="edit", edited_action={"name": "plan_exit", "args": {}})
    assert isinstance(again, Question) and again.kind == "switch"


async def test_approval_binds_to_the_plan_shown(talks: Talks) -> None:
    talk = talks(ENTER, says("Look."), EXIT, says("Built."))
    plan = await _planned(talk)
    await talk.say("show it")
    plan.write_text("2. something else\n")
    again = await talk.decide(type="approve")
    assert isinstance(again, Question) and again.kind == "switch"
    assert again.action_requests[0]["args"]["text"] == "2. something else"
    assert (await talk.decide(type="approve")).summary == "Built."
