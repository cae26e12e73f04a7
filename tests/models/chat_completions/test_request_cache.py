"""Requests whose parts are written once."""

import json

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool

from maxagent.models.chat_completions import request_cache
from maxagent.models.chat_completions.request_cache import RequestWriter
from maxagent.models.providers import providers
from maxagent.models.resolver import ResolvedModel

RESOLVED = ResolvedModel(providers()["deepseek"], "m", "http://x", "k")


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


def contents(request: bytes) -> list[str]:
    return [message["content"] for message in json.loads(request)["messages"]]


def test_every_request_repeats_the_one_before_byte_for_byte() -> None:
    writer, messages, before = RequestWriter(RESOLVED), list[BaseMessage](), b""
    tools = writer.tools([look])
    for number in range(5):
        messages += [HumanMessage(f"ask {number}"), AIMessage(f"answer {number}")]
        request = writer.request(messages, tools)
        assert request.startswith(before.removesuffix(b"]}"))
        before = request
    assert len(contents(before)) == 10


def test_a_changed_message_is_a_new_object_and_is_written_anew() -> None:
    writer, message = RequestWriter(RESOLVED), HumanMessage("old", id="1")
    assert contents(writer.request([message], b"")) == ["old"]
    new = message.model_copy(update={"content": "new"})
    assert contents(writer.request([new], b"")) == ["new"]


def test_old_messages_are_forgotten(monkeypatch) -> None:
    monkeypatch.setattr(request_cache, "FORGET_ABOVE", 3)
    writer, last = RequestWriter(RESOLVED), HumanMessage("kept")
    for number in range(20):
        writer.request([HumanMessage(str(number)), last], b"")
    assert len(writer._messages) <= 5
    assert contents(writer.request([last], b"")) == ["kept"]


def test_tools_keep_their_order_whether_they_are_objects_or_dictionaries() -> None:
    schema = {"type": "function", "function": {"name": "b", "parameters": {"type": "object"}}}
    tools = json.loads(RequestWriter(RESOLVED).tools([schema, look]))
    assert [each["function"]["name"] for each in tools] == ["b", "look"]
    assert tools[1]["function"]["parameters"]["required"] == ["path"]


def test_stop_words_are_sent() -> None:
    request = RequestWriter(RESOLVED).request([HumanMessage("x")], b"", stop=["END"])
    assert json.loads(request)["stop"] == ["END"]
