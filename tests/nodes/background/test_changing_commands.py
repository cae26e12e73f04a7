"""Nothing changes in plan mode, not even by a command that began before."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.sdk.events import BackgroundFinished, Notice, Question

Talks = Callable[..., Talk]


@pytest.fixture
async def talks(tmp_path: Path) -> AsyncIterator[Talks]:
    async with Runner(home=tmp_path / "home") as runner:
        yield lambda *turns: Talk(tmp_path, runner, *turns)


def start(*commands: str) -> dict[str, Any]:
    args = [{"command": command, "background": True} for command in commands]
    return {"tool_calls": [{"name": "run_command", "args": each} for each in args]}


def list_ended(talk: Talk) -> list[str]:
    """The commands that the last run has ended."""
    return [event.command for event in talk.heard(BackgroundFinished) if event.killed]


def list_notices(talk: Talk) -> list[str]:
    return [event.text for event in talk.heard(Notice) if "background commands" in event.text]


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        ("while true; do date >> log.txt; sleep 0.1; done", True),
        ("python3 -m http.server 0", True),
        ("touch begun; sleep 100", True),
        ("tail -f a.txt | tee copy.txt", True),
        ("sh -c 'sleep 100; rm a.txt'", True),
        ("sleep 100", False),
        ("sleep 100 | cat && grep x a.txt", False),
    ],
)
async def test_plan_mode_ends_commands_that_may_change_files(
    talks: Talks, command: str, ends: bool
) -> None:
    talk = talks(start(command), says("ok"), says("I plan."))
    (talk.folder / "a.txt").write_text("x\n")
    await talk.say("serve", mode="auto")
    assert len(talk.runner.background.list(talk.thread)) == 1
    await talk.say("think first", plan=True)
    assert list_ended(talk) == ([command] if ends else [])
    assert bool(list_notices(talk)) == ends and all(
        command in notice for notice in list_notices(talk)
    )
    assert bool(talk.runner.background.list_running()) != ends


@pytest.mark.parametrize(
    ("entry", "ends"),
    [({"agent": "plan"}, True), ({"mode": "read-only"}, True), ({"mode": "edits"}, False)],
)
async def test_each_way_into_such_a_mode_counts(
    talks: Talks, entry: dict[str, Any], ends: bool
) -> None:
    talk = talks(start("touch a; sleep 100"), says("ok"), says("I plan."))
    await talk.say("serve", mode="auto")
    await talk.say("think first", **entry)
    assert bool(list_ended(talk)) == ends


async def test_question_names_what_a_yes_ends(talks: Talks) -> None:
    enter = says(plan_enter={"reason": "large"})
    talk = talks(start("touch a; sleep 100", "sleep 101"), enter, says("I plan."))
    asked = await talk.say("serve", mode="auto")
    assert isinstance(asked, Question)
    assert asked.action_requests[0]["args"]["ends"] == ["touch a; sleep 100"]
    await talk.answer(approve=True)
    assert list_ended(talk) == ["touch a; sleep 100"] and len(list_notices(talk)) == 1


async def test_refused_plan_mode_ends_nothing(talks: Talks) -> None:
    enter = says(plan_enter={"reason": "large"})
    talk = talks(start("touch a; sleep 100"), enter, says("I build."))
    await talk.say("serve", mode="auto")
    await talk.answer(reject="go on")
    assert list_ended(talk) == [] and len(talk.runner.background.list_running()) == 1
