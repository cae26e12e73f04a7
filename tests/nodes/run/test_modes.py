from datetime import datetime

import pytest
from langchain_core.messages import AIMessage

from maxagent.nodes.run.modes import (
    apply_choice,
    build_mode_notes,
    format_announcement,
    get_mode,
    is_switch_proposal,
    settle_options,
    switch_options,
)

NOW = datetime(2026, 11, 22, 9, 8, 7)


@pytest.mark.parametrize(
    ("options", "mode", "speaker"),
    [
        ({}, "build", "build"),
        ({"agent": "build"}, "build", "build"),
        ({"plan": True}, "plan", "plan"),
        ({"agent": "build", "plan": True}, "plan", "plan"),
        ({"agent": "explore"}, "build", "explore"),
        ({"agent": "explore", "plan": True}, "plan", "explore"),
        ({"agent": "explore", "speaker": "shell"}, "build", "shell"),
        ({"plan": False, "plan_file": "old"}, "build", "build"),
    ],
)
def test_mode_and_speaker_follow_from_what_was_chosen(options, mode, speaker) -> None:
    chosen = settle_options(options, "do it", NOW)
    assert (get_mode(chosen), chosen["speaker"]) == (mode, speaker)


def test_plan_mode_keeps_one_plan_file_until_switch() -> None:
    process = settle_options({"plan": True}, "do it", NOW)
    again = settle_options(process, "and that", datetime(2027, 1, 1))
    assert process["plan_file"] == again["plan_file"] == ".llc/plans/20261122-090807-do-it.md"
    remaining = switch_options(again, "build", "do it", NOW)
    assert (remaining["plan"], remaining["plan_file"], remaining["speaker"]) == (False, "", "build")


@pytest.mark.parametrize(
    ("options", "agent", "expected"),
    [
        ({"agent": "plan"}, "", {"agent": "build", "plan": True, "speaker": ""}),
        ({"agent": "build"}, "", {"agent": "build", "plan": False, "speaker": ""}),
        ({"agent": "build", "plan": True}, "", {"agent": "build", "plan": True, "speaker": ""}),
        ({}, "plan", {"agent": "build", "plan": True, "speaker": ""}),
        ({"plan": False}, "plan", {"agent": "build", "plan": True, "speaker": ""}),
        ({"plan": True}, "build", {"agent": "build", "plan": True, "speaker": ""}),
        ({"plan": True}, "explore", {"plan": True, "speaker": "explore"}),
        ({"agent": "explore"}, "", {"agent": "explore", "speaker": ""}),
        ({"plan": True}, "", {"plan": True, "speaker": ""}),
    ],
)
def test_the_agent_of_a_mode_means_the_mode(options, agent, expected) -> None:
    assert apply_choice(options, agent) == expected


def test_chosen_agent_stays_when_mode_changes() -> None:
    assert switch_options({"agent": "reviewer"}, "plan", "x", NOW)["agent"] == "reviewer"


def test_model_is_notified_of_mode_change_and_reminded() -> None:
    building, planning = settle_options({}, "x", NOW), settle_options({"plan": True}, "x", NOW)
    assert build_mode_notes(building, building, "build") == []
    [changed] = build_mode_notes(planning, building, "plan")
    [reminded] = build_mode_notes(planning, planning, "plan")
    assert changed.text == format_announcement(planning) and "agent `plan`" in changed.text
    assert reminded.text != changed.text and planning["plan_file"] in reminded.text
    [back] = build_mode_notes(building, planning, "build")
    assert "agent `build`" in back.text


def _called(*names: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": n, "args": {}, "id": n} for n in names])


@pytest.mark.parametrize(
    ("names", "tools", "proposes"),
    [
        (["plan_exit"], ["plan_exit"], True),
        (["plan_exit"], ["plan_enter"], False),
        (["plan_exit", "read_file"], ["plan_exit", "read_file"], False),
        (["read_file"], ["plan_exit", "read_file"], False),
        ([], ["plan_exit"], False),
    ],
)
def test_a_proposal_stands_alone(names, tools, proposes) -> None:
    assert is_switch_proposal(_called(*names), tools) is proposes


@pytest.mark.parametrize(
    ("speaker", "plan", "promise"),
    [
        ("build", False, "files may be changed, commands run"),
        ("explore", False, "your prompt and your tools say"),
        ("general", False, "your prompt and your tools say"),
        ("plan", True, "call plan_exit"),
        ("explore", True, "that write may write only the plan, `p.md`"),
        ("shell", True, "nothing in the project may change"),
    ],
)
def test_announcement_promises_no_tools_of_the_mode(speaker, plan, promise) -> None:
    announced = format_announcement({"speaker": speaker, "plan": plan, "plan_file": "p.md"})
    assert promise in announced and f"`{speaker}` now, in" in announced
    assert ("files may be changed" in announced) == (speaker == "build")
    assert ("plan_exit" in announced) == (speaker == "plan")
