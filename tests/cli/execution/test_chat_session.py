"""What the command line says to a conversation, and what it says of it only once."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from maxagent import Runner
from maxagent.cli.execution.chat_session import ChatSession
from maxagent.config.errors import UsageError
from maxagent.sdk.events import Event, RunStarted
from maxagent.sdk.graph_registry import CHAT


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def options(tmp_path: Path) -> Any:
    turns = [{"text": f"{number}."} for number in range(5)]
    (tmp_path / "script.json").write_text(json.dumps(turns))
    return {"model": f"scripted/{tmp_path / 'script.json'}"}


async def said(speaker: ChatSession, runner: Runner, text: str) -> list[Event]:
    return [event async for event in speaker.send_message(runner, text)]


async def test_first_message_starts_thread_others_continue_it(
    runner: Runner, tmp_path: Path, options: Any
) -> None:
    speaker = ChatSession(tmp_path, options, "mine")
    assert (await said(speaker, runner, "one"))[-1].summary == "0."
    process = speaker.thread
    assert (await said(speaker, runner, "two"))[-1].summary == "1."
    assert runner.threads.find("mine").thread_id == speaker.thread == process


async def test_lasting_options_sent_once_limit_each_time(
    runner: Runner, tmp_path: Path, options: Any
) -> None:
    chat_session = ChatSession(tmp_path, options)
    await said(chat_session, runner, "one")
    speaker = ChatSession(tmp_path, {"mode": "auto", "max_turns": 3}, thread=chat_session.thread)
    modes = [(await said(speaker, runner, text))[0].mode for text in ("two", "three")]
    await said(
        ChatSession(tmp_path, {"mode": "read-only"}, thread=chat_session.thread), runner, "four"
    )
    events = await said(speaker, runner, "five")
    assert modes == ["auto", "auto"]
    assert isinstance(events[0], RunStarted) and events[0].mode == "read-only"
    graph = runner._graph_of(CHAT)
    state = await graph.aget_state({"configurable": {"thread_id": chat_session.thread}})
    assert state.values["options"]["max_turns"] == 3


async def test_an_unknown_thread_is_reported(runner: Runner, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no thread"):
        await said(ChatSession(tmp_path, {}, thread="0" * 36), runner, "hi")
