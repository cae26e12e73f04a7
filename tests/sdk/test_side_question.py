"""A question beside a conversation, against a real server: what is sent before and after it."""

import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from provider import Provider

from maxagent import Runner, collect, trust
from maxagent.sdk.side_question import ask_side_question, drop_open_calls

CALL = {"id": "1", "name": "read_file", "args": {}}
ASKS, CALLS = HumanMessage("hi"), AIMessage("I look.", tool_calls=[CALL])
RESULT = ToolMessage("seen", tool_call_id="1")
OTHER = AIMessage("", tool_calls=[{**CALL, "id": "2"}])
READS = {"text": "I look.", "tool_calls": [{"name": "list_files", "args": {}}]}


async def test_next_request_has_no_byte_of_it(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    trust(project, home)
    chosen = {"model": "openai/served", "base_url": provider.url}
    provider.script([READS, {"text": "Empty."}, {"text": "Aside."}, {"text": "Next."}])
    async with Runner(home=home) as runner:
        first = await collect(runner.chat("look", folder=project, options=chosen))
        before = await runner.read_state(first.thread_id)
        reply = await ask_side_question(runner, first.thread_id, "why? sk-" + "a1B2" * 12)
        assert reply.text == "Aside."
        assert (await runner.read_state(first.thread_id))[0] == before[0]
        await collect(runner.say(first.thread_id, "go on"))
    *_, turn, aside, following = [request.body for request in provider.requests]
    assert aside["messages"][-1]["content"].find("a1B2a1B2") == -1
    assert json.dumps(following["messages"][:-1]) == json.dumps(aside["messages"][:-1])
    assert following["messages"][: len(turn["messages"])] == turn["messages"]
    assert aside["tools"] == following["tools"] and aside["tool_choice"] == "none"
    assert "Aside" not in json.dumps(following) and "on the side" not in json.dumps(following)


@pytest.mark.parametrize(
    ("messages", "sent"),
    [
        ([], 0),
        ([ASKS], 1),
        ([ASKS, CALLS], 1),
        ([ASKS, CALLS, RESULT], 3),
        ([ASKS, CALLS, RESULT, OTHER], 3),
        ([ASKS, CALLS, RESULT, OTHER, HumanMessage("also")], 3),
    ],
)
def test_open_calls_are_not_sent(messages: list[AnyMessage], sent: int) -> None:
    assert drop_open_calls(messages) == messages[:sent]
