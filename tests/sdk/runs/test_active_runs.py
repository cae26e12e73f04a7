"""Several runs of one Runner at the same time: what is meant for one does not touch another."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from maxagent import Event, Runner, RunStarted, UsageError

LOOK = {"tool_calls": [{"name": "list_files", "args": {}}]}


class Conversation:
    """A run that goes on only while it is asked to, so that several overlap as a test likes."""

    def __init__(self, runner: Runner, folder: Path, name: str, **more: Any) -> None:
        script = folder / f"{name}.json"
        script.write_text(json.dumps([LOOK, LOOK, {"text": "Done."}]))
        options = {"model": f"scripted/{script}"}
        self.thread = ""
        self.events: list[Event] = []
        self.stream: AsyncGenerator[Event] = runner.chat(
            "Look", folder=folder, options=options, name=name, **more
        )

    async def go_on(self, until: str = "") -> str:
        """Follow the run until this event, or to its end; return the type of the last one."""
        async for event in self.stream:
            self.events.append(event)
            if isinstance(event, RunStarted):
                self.thread = event.thread_id
            if event.type == until:
                break
        return self.events[-1].type


@pytest.fixture
async def pair(runner: Runner, tmp_path: Path) -> tuple[Conversation, Conversation]:
    runs = Conversation(runner, tmp_path, "first"), Conversation(runner, tmp_path, "second")
    for run in runs:
        await run.go_on("tool_call")
    return runs


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("form", ["id", "prefix", "name"])
async def test_stop_reaches_only_the_named_run(runner, pair, which, form) -> None:
    run, other = pair[which], pair[1 - which]
    names = {"id": run.thread, "prefix": run.thread[:8], "name": ["first", "second"][which]}
    assert runner.stop(names[form]) is True
    assert (runner.is_stopping(run.thread), runner.is_stopping(other.thread)) == (True, False)
    assert (await run.go_on(), await other.go_on()) == ("interrupted", "completion")


@pytest.mark.parametrize("which", [0, 1])
async def test_steer_reaches_only_the_named_run(runner, pair, which) -> None:
    run, other = pair[which], pair[1 - which]
    message = runner.steer(run.thread, "use tabs")
    await other.go_on()
    await run.go_on()
    assert [e.id for e in run.events if e.type == "steered"] == [message]
    assert not [e for e in other.events if e.type == "steered"]
    assert runner.steering.take_unsent() == []


@pytest.mark.parametrize("act", [Runner.stop, lambda r: r.steer("tabs"), Runner.is_stopping])
async def test_nameless_request_is_refused_for_several(runner, pair, act) -> None:
    with pytest.raises(UsageError, match="several threads run") as raised:
        act(runner)
    assert all(run.thread[:8] in raised.value.message for run in pair)
    assert [await run.go_on() for run in pair] == ["completion", "completion"]
    assert not [e for run in pair for e in run.events if e.type == "steered"]


async def test_unread_message_stays_with_its_thread(runner, pair) -> None:
    first, second = pair
    runner.steer(first.thread, "for the first")
    await first.stream.aclose()
    assert await second.go_on() == "completion"
    assert [message.text for message in runner.steering.take_unsent(second.thread)] == []
    assert [message.thread for message in runner.steering.take_unsent(first.thread)] == [
        first.thread
    ]


async def test_requests_to_no_run_say_so(runner, pair) -> None:
    for run in pair:
        await run.go_on()
    assert (runner.stop(), runner.stop(pair[0].thread)) == (False, False)
    for text in (["tabs"], [pair[0].thread, "tabs"]):
        with pytest.raises(UsageError, match="no turn is running"):
            runner.steer(*text)


async def test_many_users_share_one_runner(runner, tmp_path) -> None:
    runs = [Conversation(runner, tmp_path, f"user-{number}") for number in range(12)]
    await asyncio.gather(*(run.go_on("tool_call") for run in runs))
    for run in runs[::3]:
        runner.stop(run.thread)
    for run in runs[1::3]:
        runner.steer(run.thread, f"for {run.thread}")
    ends = await asyncio.gather(*(run.go_on() for run in runs))
    assert ends == ["interrupted", "completion", "completion"] * 4
    for number, run in enumerate(runs):
        texts = [event.text for event in run.events if event.type == "steered"]
        assert texts == ([f"for {run.thread}"] if number % 3 == 1 else [])


async def test_time_limit_ends_one_run_alone(runner, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("maxagent.sdk.runs.execution.GRACE", 0.2)
    hang = {"tool_calls": [{"name": "run_command", "args": {"command": "sleep 60"}}]}
    short = Conversation(runner, tmp_path, "short", time_limit=0.5)
    (tmp_path / "short.json").write_text(json.dumps([hang, {"text": "Done."}]))
    other = Conversation(runner, tmp_path, "other")
    await other.go_on("tool_call")
    while await short.go_on("question") == "question":
        from maxagent import Answer

        short.stream = runner.resume(short.thread, Answer(approve=True), time_limit=0.5)
    assert short.events[-1].type == "interrupted" and short.events[-1].reason == "timeout"
    assert runner.threads.find(short.thread).status == "limit"
    assert await other.go_on() == "completion"


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), -0.5])
async def test_a_limit_without_time_is_refused(runner, tmp_path, limit) -> None:
    with pytest.raises(UsageError, match="no time limit"):
        await Conversation(runner, tmp_path, "none", time_limit=limit).go_on()
    assert runner.threads.list() == []


@pytest.mark.parametrize("state", ["new", "closed", "other loop"])
async def test_an_unusable_runner_says_why(tmp_path, state) -> None:
    runner = Runner(home=tmp_path / "home")
    if state == "closed":
        async with runner:
            pass
    if state == "other loop":
        async with runner:
            use = asyncio.to_thread(asyncio.run, Conversation(runner, tmp_path, "a").go_on())
            with pytest.raises(UsageError, match="another event loop"):
                await use
        return
    with pytest.raises(UsageError, match="not open"):
        await Conversation(runner, tmp_path, "a").go_on()
    with pytest.raises(UsageError, match="not open"):
        await runner.read_state("a") if state == "x" else [e async for e in runner.resume("a")]
