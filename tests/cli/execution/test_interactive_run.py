"""Turns of a real runner: what is asked on the way, by somebody who types or where nobody is."""

import json
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from repl_session import Typing

from maxagent import Answer, Runner, UnfinishedTurnError, UsageError, trust
from maxagent.cli.execution.chat_session import ChatSession
from maxagent.cli.execution.interactive_run import InteractiveRun
from maxagent.sdk.events import Completion, Event, Interrupted, Question

WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "new", "content": "x\n"}}]}


class Talk:
    """A dialogue in a project, and the ends of the streams that it showed."""

    def __init__(
        self, runner: Runner, speaker: ChatSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.runner, self.speaker = runner, speaker
        self.shown: list[Event | None] = []
        self._monkeypatch = monkeypatch
        self.stops = False

    async def show(self, events: AsyncGenerator[Event]) -> Event | None:
        last: Event | None = None
        async for event in events:
            last = event
            if self.stops:
                self.runner.stop()
        self.shown.append(last)
        return last

    async def say(self, text: str, *, typed: str | None = None, **how: Any) -> Event | None:
        """Say it; without `typed` nobody is there."""

        async def ask(question: Callable[[], Any]) -> Any:
            return question()

        self.shown.clear()
        self._monkeypatch.setattr("sys.stdin", Typing(typed or ""))
        dialogue = InteractiveRun(self.runner, self.show, None if typed is None else ask)
        return await dialogue.send_message(self.speaker, text, **how)

    @property
    def answers(self) -> list[str]:
        """What the turns that were shown ended with."""
        return [item.summary for item in self.shown if isinstance(item, Completion)]


@pytest.fixture
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder, home, script = tmp_path / "project", tmp_path / "home", tmp_path / "script.json"
    folder.mkdir()
    trust(folder, home)
    script.write_text(json.dumps([WRITES, {"text": "Written."}, {"text": "More."}]))
    async with Runner(home=home) as runner:
        yield Talk(runner, ChatSession(folder, {"model": f"scripted/{script}"}), monkeypatch)


async def test_answered_question_continues_the_turn(talk: Talk) -> None:
    last = await talk.say("write it", typed="yes\n")
    assert isinstance(last, Completion) and talk.answers == ["Written."]
    assert [type(end) for end in talk.shown] == [Question, Completion]
    assert (talk.speaker.folder / "new").exists()


async def test_question_without_human_stays_open(talk: Talk) -> None:
    assert isinstance(await talk.say("write it"), Question)
    with pytest.raises(UnfinishedTurnError):
        await talk.say("and more")
    last = await talk.say("and more", abandon=True)
    assert isinstance(last, Completion) and not (talk.speaker.folder / "new").exists()


@pytest.mark.parametrize(
    ("typed", "ends"),
    [("resume\nyes\n", ["Written.", "More."]), ("abandon\n", ["Written."])],
    ids=["resumed first", "abandoned"],
)
async def test_human_decides_about_unfinished_turn(
    typed: str, ends: list[str], talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert isinstance(await talk.say("write it", typed=""), Question)
    assert isinstance(await talk.say("and more", typed=typed), Completion)
    assert talk.answers == ends and (talk.speaker.folder / "new").exists() == (len(ends) > 1)
    assert capsys.readouterr().err.count("waits for an answer") == 1


async def test_dismissed_question_of_resumed_turn_is_asked_again(talk: Talk) -> None:
    await talk.say("write it")
    with pytest.raises(typer.Exit):
        await talk.say("and more", typed="resume\n")
    assert [type(end) for end in talk.shown] == [Question]


async def test_stopped_run_asks_and_sends_nothing_more(talk: Talk) -> None:
    await talk.say("write it")
    talk.stops = True
    assert isinstance(await talk.say("and more", typed="resume\n"), Interrupted)
    assert [type(end) for end in talk.shown] == [Interrupted]


async def test_changed_plan_is_saved_at_once_or_shown(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, speaker, runner = talk.speaker.folder, talk.speaker, talk.runner
    leave = {"tool_calls": [{"name": "plan_exit", "args": {}}]}
    script = folder.parent / "plans.json"
    script.write_text(json.dumps([{"text": "Look."}, leave, {"text": "Built."}]))
    speaker.options = {"model": f"scripted/{script}", "plan": True}
    await talk.say("plan")
    plan = folder / str((await runner.options_of(speaker.thread)).get("plan_file"))
    plan.parent.mkdir(parents=True)
    plan.write_text("1. all\n")
    editor = folder.parent / "editor.sh"
    editor.write_text('#!/bin/sh\necho 2. mine >> "$1"\n')
    monkeypatch.setenv("VISUAL", f"sh {editor}")
    assert isinstance(await talk.say("show it", typed="edit\n"), Question)
    assert plan.read_text() == "1. all\n2. mine\n"
    capsys.readouterr()

    async def answered_elsewhere(question: Callable[[], Any]) -> Any:
        output = question()
        if output:
            async for _ in runner.resume(speaker.thread, Answer(approve=True)):
                pass
        return output

    monkeypatch.setattr("sys.stdin", Typing("edit\n"))
    dialogue = InteractiveRun(runner, talk.show, answered_elsewhere)
    with pytest.raises(UsageError, match="has no open question"):
        await dialogue.consume(runner.resume(speaker.thread))
    assert plan.read_text() == "1. all\n2. mine\n"
    assert capsys.readouterr().err.count("│ 2. mine\n  │ 2. mine\n") == 1
