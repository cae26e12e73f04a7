"""Requests whose parts are written once."""

import json

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool

from maxagent.models.chat_completions import request_cache
from maxagent.models.chat_completions.request_cache import RequestWriter
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel

RESOLVED = ResolvedModel(load_providers()["deepseek"], "m", "http://x", "k")


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


def contents(request: bytes) -> list[str]:
    return [message["content"] for message in json.loads(request)["messages"]]


def test_request_repeats_previous_one_byte_for_byte() -> None:
    writer, messages, before = RequestWriter(RESOLVED), list[BaseMessage](), b""
    tools = writer.encode_tools([look])
    for number in range(5):
        messages += [HumanMessage(f"ask {number}"), AIMessage(f"answer {number}")]
        request = writer.build_request(messages, tools)
        assert request.startswith(before.removesuffix(b"]}"))
        before = request
    assert len(contents(before)) == 10


def test_changed_message_object_is_encoded_again() -> None:
    writer, message = RequestWriter(RESOLVED), HumanMessage("old", id="1")
    assert contents(writer.build_request([message], b"")) == ["old"]
    new = message.model_copy(update={"content": "new"})
    assert contents(writer.build_request([new], b"")) == ["new"]


def test_old_messages_are_forgotten(monkeypatch) -> None:
    monkeypatch.setattr(request_cache, "FORGET_ABOVE", 3)
    writer, last = RequestWriter(RESOLVED), HumanMessage("kept")
    for number in range(20):
        writer.build_request([HumanMessage(str(number)), last], b"")
    assert len(writer._messages) <= 5
    assert contents(writer.build_request([last], b"")) == ["kept"]


def test_tools_keep_order_as_objects_or_dictionaries() -> None:
    schema = {"type": "function", "function": {"name": "b", "parameters": {"type": "object"}}}
    tools = json.loads(RequestWriter(RESOLVED).encode_tools([schema, look]))
    assert [each["function"]["name"] for each in tools] == ["b", "look"]
    assert tools[1]["function"]["parameters"]["required"] == ["path"]


def test_stop_words_are_sent() -> None:
    request = RequestWriter(RESOLVED).build_request([HumanMessage("x")], b"", stop=["END"])
    assert json.loads(request)["stop"] == ["END"]
