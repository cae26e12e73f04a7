import asyncio
import io
import json
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxagent import Answer, EventRunner, MaxAgentError, UsageError

REPLY = {
    "name": "plan_mode_respond",
    "args": {"response": "Two steps, or three?", "options": ["two", "three"]},
}
WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("LLC_MODEL", f"scripted/{tmp_path / 'script.json'}")
    return tmp_path


def play(folder: Path, *turns: Any) -> None:
    (folder / "script.json").write_text(json.dumps(turns))


def read_queue(sink: Any) -> list[Any]:
    return [sink.get_nowait() for _ in range(sink.qsize())]


def open_function() -> tuple[Any, Callable[[], list[Any]]]:
    received: list[Any] = []
    return received.append, lambda: received


def open_async_function() -> tuple[Any, Callable[[], list[Any]]]:
    received: list[Any] = []

    async def receive(message: Any) -> None:
        await asyncio.sleep(0)
        received.append(message)

    return receive, lambda: received


def open_file() -> tuple[Any, Callable[[], list[Any]]]:
    sink = io.StringIO()
    return sink, lambda: [json.loads(line) for line in sink.getvalue().splitlines()]


def open_queue() -> tuple[Any, Callable[[], list[Any]]]:
    sink: Any = queue.Queue()
    return sink, lambda: read_queue(sink)


def open_async_queue() -> tuple[Any, Callable[[], list[Any]]]:
    sink: Any = asyncio.Queue()
    return sink, lambda: read_queue(sink)


@pytest.mark.parametrize(
    "open_sink", [open_function, open_async_function, open_file, open_queue, open_async_queue]
)
async def test_each_sink_gets_all_events_of_a_run(folder: Path, open_sink: Any) -> None:
    play(folder, {"tool_calls": [WRITE]}, {"text": "Written."})
    sink, read = open_sink()
    async with EventRunner(sink, home=folder / "home") as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "auto"}))
    messages = read()
    paths = [message["path"].removeprefix("/agent/edit/") for message in messages]
    assert (result.status, result.text) == ("answered", "Written.")
    assert (paths[0], paths[-1]) == ("conversation_id", "completion")
    assert {"tool/call", "tool/result", "apply_changes", "output", "window_length"} <= {*paths}
    assert {message["meta"]["thread_id"] for message in messages} == {result.thread_id}
    assert [message["meta"]["seq"] for message in messages] == [*range(1, len(messages) + 1)]
    json.dumps(messages)


async def test_plan_response_is_sent_once_and_answered(folder: Path) -> None:
    play(folder, {"tool_calls": [REPLY]}, {"text": "Two."})
    sent: list[Any] = []
    async with EventRunner(sent.append, home=folder / "home") as runner:
        asked = await runner.run(runner.chat("Plan it", folder=".", options={"plan": True}))
        assert asked.question and asked.question.needs_text
        await runner.run(runner.resume(asked.thread_id, asked.question.answer("two")))
    plans = [message for message in sent if message["path"] == "/agent/edit/plan"]
    assert [message["type"] for message in plans] == ["plan_response"]
    assert plans[0]["data"] == REPLY["args"]
    assert len({message["meta"]["run_id"] for message in sent}) == 2


async def test_question_is_answered_while_run_goes_on(folder: Path) -> None:
    play(folder, {"tool_calls": [WRITE]}, {"text": "Written."})
    sent: list[Any] = []
    allow = {"on_question": lambda question: Answer(approve=True)}
    async with EventRunner(sent.append, home=folder / "home", **allow) as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "ask"}))
    assert result.text == "Written." and len({each["meta"]["run_id"] for each in sent}) == 1


async def test_failed_run_is_sent_and_raised(folder: Path) -> None:
    play(folder)
    sent: list[Any] = []
    async with EventRunner(sent.append, home=folder / "home") as runner:
        with pytest.raises(MaxAgentError):
            await runner.run(runner.chat("Go", folder="."))
    assert sent[-1]["path"] == "/agent/edit/error" and sent[-1]["data"]["message"]


async def test_runs_at_once_have_their_own_numbers(folder: Path) -> None:
    play(folder, {"text": "Hi."})
    sent: list[Any] = []
    async with EventRunner(sent.append, home=folder / "home") as runner:
        chats = [runner.run(runner.chat(f"Hi {n}", folder=".")) for n in range(3)]
        results = await asyncio.gather(*chats)
    for result in results:
        own = [each["meta"] for each in sent if each["meta"]["thread_id"] == result.thread_id]
        assert [meta["seq"] for meta in own] == [*range(1, len(own) + 1)]
        assert len({meta["run_id"] for meta in own}) == 1


@pytest.mark.parametrize("sink", [None, 3, "events.json", [], {"write": print}])
def test_what_takes_no_messages_is_refused(tmp_path: Path, sink: Any) -> None:
    with pytest.raises(UsageError, match="a function, an open file or a queue"):
        EventRunner(sink, home=tmp_path)
