"""Requests of chat completions: messages and tools are encoded once."""

import json

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import tool

from maxagent.models.chat_completions.dialect import ChatCompletionsDialect
from maxagent.models.http import json_encoding
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel

RESOLVED = ResolvedModel(load_providers()["deepseek"], "m", "http://x", "k")
USUAL = RequestOptions()


@tool
def look(path: str) -> str:
    """Look at a path."""
    return path


def contents(request: bytes) -> list[str]:
    return [message["content"] for message in json.loads(request)["messages"]]


def test_request_repeats_previous_one_byte_for_byte() -> None:
    dialect, messages, before = ChatCompletionsDialect(RESOLVED), list[BaseMessage](), b""
    tools = dialect.encode_tools([look])
    for number in range(5):
        messages += [HumanMessage(f"ask {number}"), AIMessage(f"answer {number}")]
        request = dialect.build_request(messages, tools, USUAL)
        assert request.startswith(before.removesuffix(b"]}"))
        before = request
    assert len(contents(before)) == 10


def test_changed_message_object_is_encoded_again() -> None:
    dialect, message = ChatCompletionsDialect(RESOLVED), HumanMessage("old", id="1")
    assert contents(dialect.build_request([message], b"", USUAL)) == ["old"]
    new = message.model_copy(update={"content": "new"})
    assert contents(dialect.build_request([new], b"", USUAL)) == ["new"]


def test_old_messages_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_encoding, "FORGET_ABOVE", 3)
    dialect, last = ChatCompletionsDialect(RESOLVED), HumanMessage("kept")
    for number in range(20):
        dialect.build_request([HumanMessage(str(number)), last], b"", USUAL)
    assert len(dialect._messages._messages) <= 5
    assert contents(dialect.build_request([last], b"", USUAL)) == ["kept"]


def test_tools_keep_order_as_objects_or_dictionaries() -> None:
    schema = {"type": "function", "function": {"name": "b", "parameters": {"type": "object"}}}
    tools = json.loads(ChatCompletionsDialect(RESOLVED).encode_tools([schema, look]))
    assert [each["function"]["name"] for each in tools] == ["b", "look"]
    assert tools[1]["function"]["parameters"]["required"] == ["path"]


def test_stop_words_are_sent() -> None:
    request = ChatCompletionsDialect(RESOLVED).build_request(
        [HumanMessage("x")], b"", USUAL, stop=["END"]
    )
    assert json.loads(request)["stop"] == ["END"]
