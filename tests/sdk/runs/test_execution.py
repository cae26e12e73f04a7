"""Messages sent while a model works, over a real server: once in the thread, or in the queue."""

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from provider import Provider, Request

from maxagent import Runner, UsageError
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.events import Completion, Event, Failure, Steered, ToolCall
from maxagent.sdk.threads.transcript import read_transcript

LOOKS = {"tool_calls": [{"name": "list_files", "args": {}}]}
KEY = "sk-proj-" + "a1B2c3D4" * 6


@pytest.fixture
async def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    (tmp_path / "project").mkdir()
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def options(provider: Provider) -> Any:
    return {"model": "openai/served", "base_url": provider.url, "mode": "auto"}


async def follow(
    runner: Runner, events: AsyncGenerator[Event], *arguments: str, at: str = "tool_call"
) -> list[Event]:
    """Follow a run to its end; send these words at the first event of a kind."""
    seen: list[Event] = []
    async for event in events:
        if event.type == at and at not in {earlier.type for earlier in seen}:
            for text in arguments:
                runner.steer(text)
        seen.append(event)
    return seen


def read_words(request: Request) -> list[str]:
    """Kind or text of the messages of a request, without its system prompt."""
    messages = request.body["messages"][1:]
    return [
        message["content"] if message["role"] == "user" else message["role"] for message in messages
    ]


@pytest.mark.parametrize("plan", [False, True])
async def test_messages_reach_the_model_between_calls(
    plan: bool, runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, LOOKS, {"text": "Tabs."}])
    chat = runner.chat("indent", folder=tmp_path / "project", options={**options, "plan": plan})
    events = await follow(runner, chat, "use tabs", f"my key is {KEY}")
    steered = [event for event in events if isinstance(event, Steered)]
    assert [event.text[:9] for event in steered] == ["use tabs", "my key is"]
    first, second, third = map(read_words, provider.requests)
    assert second[: len(first)] == first and second[len(first) :][:3] == [
        "assistant", "tool", "use tabs",
    ]  # fmt: skip
    assert third[: len(second)] == second and third[len(second) :] == ["assistant", "tool"]
    assert b"sk-proj" not in provider.requests[-1].raw
    assert isinstance(events[-1], Completion) and runner.steering.take_unsent() == []


async def test_thread_shows_and_finds_the_message(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, {"text": "Tabs."}])
    await follow(runner, runner.chat("indent", folder=tmp_path / "project", options=options),
                 "use tabs")  # fmt: skip
    [row] = ThreadIndex(runner.home).list()
    output = [(item.kind, item.text) for item in read_transcript(row, runner.home) if item.text]
    assert output == [("human", "indent"), ("human", "use tabs"), ("answer", "Tabs.")]
    assert [result.thread_id for result in ThreadIndex(runner.home).search("use tabs")] == [
        row.thread_id
    ]


async def test_message_after_the_last_call_is_unsent(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([{"text": "Done."}, LOOKS, {"text": "Never seen."}])
    folder = tmp_path / "project"
    events = await follow(runner, runner.chat("hi", folder=folder, options=options), "late",
                          at="output")  # fmt: skip
    assert [message.text for message in runner.steering.take_unsent()] == ["late"]
    with pytest.raises(UsageError):
        runner.steer("nobody runs")
    thread = events[-1].thread_id  # type: ignore[union-attr]
    await follow(runner, runner.say(thread, "more"))
    assert read_words(provider.requests[-1])[-1] == "tool"


async def test_failed_request_keeps_the_message_once(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, {"status": 401, "body": "no such key"}, {"text": "Tabs."}])
    chat = runner.chat("indent", folder=tmp_path / "project", options=options)
    events = await follow(runner, chat, "use tabs")
    assert isinstance(events[-1], Failure) and runner.steering.take_unsent() == []
    await follow(runner, runner.resume(events[-1].thread_id))
    assert read_words(provider.requests[-1]).count("use tabs") == 1
    assert provider.requests[-1].raw == provider.requests[-2].raw


async def test_a_stopped_run_leaves_it_in_one_place(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, {"text": "Tabs."}])
    thread = ""
    async for event in runner.chat("indent", folder=tmp_path / "project", options=options):
        if isinstance(event, ToolCall):
            runner.steer("use tabs")
            runner.stop()
        thread = getattr(event, "thread_id", thread)
    assert [message.text for message in runner.steering.take_unsent()] == ["use tabs"]


async def test_roles_of_a_task_read_it_too(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([{"text": "SMALL: a.txt"}, LOOKS, {"text": "Done."}])
    task = runner.task(
        "indent", folder=tmp_path / "project", options={**options, "skip_tests": True}
    )
    await follow(runner, task, "use tabs")
    assert read_words(provider.requests[-1])[-3:] == ["assistant", "tool", "use tabs"]
