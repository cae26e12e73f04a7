"""Requests of chat completions: messages and tools are encoded once."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import tool

from maxagent.models.chat_completions.dialect import (
    ChatCompletionsDialect,
    build_body,
    build_options,
    encode_message,
)
from maxagent.models.http import json_encoding
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.providers import load_providers
from maxagent.models.replay import MADE_BY
from maxagent.models.resolver import ResolvedModel

RESOLVED = ResolvedModel(load_providers()["deepseek"], "m", "http://x", "k")
USUAL = RequestOptions()
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


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


def resolved(provider: str, **fields: Any) -> ResolvedModel:
    row = load_providers()[provider].select_api("chat", "m")
    return ResolvedModel(row, "m", "http://x", "k", **fields)


PLAIN = resolved("openai")


def call(id: str, name: str, **args: Any) -> dict[str, Any]:
    return {"id": id, "name": name, "args": args, "type": "tool_call"}


def invalid(id: str, name: str) -> dict[str, Any]:
    error = {"id": id, "name": name, "args": '{"half', "error": "broken"}
    return {**error, "type": "invalid_tool_call"}


def sent(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (SystemMessage("s"), {"role": "system", "content": "s"}),
        (HumanMessage("中文"), {"role": "user", "content": "中文"}),
        (HumanMessage(["a", {"type": "text", "text": "b"}]), {"role": "user", "content": "a\nb"}),
        (HumanMessage([{"type": "text", "text": "see"}, IMAGE]),
         {"role": "user", "content": [{"type": "text", "text": "see"}, IMAGE]}),
        (HumanMessage([{"type": "image", "base64": "AA==", "mime_type": "image/png"}]),
         {"role": "user", "content": [IMAGE]}),
        (ChatMessage("c", role="developer"), {"role": "developer", "content": "c"}),
        (AIMessage("a"), {"role": "assistant", "content": "a"}),
        (AIMessage(""), {"role": "assistant", "content": ""}),
        (AIMessage("", tool_calls=[call("1", "read", path="ä")]),
         {"role": "assistant", "content": None, "tool_calls": [sent("1", "read", '{"path":"ä"}')]}),
        (AIMessage("x", tool_calls=[call("1", "a")], invalid_tool_calls=[invalid("2", "b")]),
         {"role": "assistant", "content": "x",
          "tool_calls": [sent("1", "a", "{}"), sent("2", "b", "{}")]}),
        (AIMessage([{"type": "reasoning", "summary": []}, {"type": "text", "text": "t"}]),
         {"role": "assistant", "content": "t"}),
        (ToolMessage("out", tool_call_id="1"),
         {"role": "tool", "tool_call_id": "1", "content": "out"}),
        (ToolMessage([{"type": "text", "text": "a"}, IMAGE, "b"], tool_call_id="1"),
         {"role": "tool", "tool_call_id": "1", "content": "a\n[image]\nb"}),
    ],
)  # fmt: skip
def test_every_message_has_its_json(message: BaseMessage, expected: dict[str, Any]) -> None:
    assert json.loads(encode_message(message, PLAIN)) == expected


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("openai", {"content": "so"}),
        ("deepseek", {"content": "so", "reasoning_content": "why"}),
        ("glm", {"content": "so", "reasoning_content": "why"}),
        ("kimi", {"content": "so", "reasoning_content": "why"}),
        ("minimax", {"content": "<think>why</think>\n\nso"}),
    ],
)
def test_thinking_goes_back_where_the_provider_wants_it(
    provider: str, expected: dict[str, Any]
) -> None:
    asked = resolved(provider)
    marks = {"reasoning_content": "why", MADE_BY: asked.name}
    thought = AIMessage("so", additional_kwargs=marks, tool_calls=[call("1", "read")])
    written = json.loads(encode_message(thought, asked))
    calls = [sent("1", "read", "{}")]
    assert written == {"role": "assistant", **expected, "tool_calls": calls}


@pytest.mark.parametrize(
    ("asked", "tools", "choice", "extra"),
    [
        (resolved("deepseek"), False, "", {"max_tokens": 4096}),
        (resolved("deepseek", temperature=0.2), False, "",
         {"temperature": 0.2, "max_tokens": 4096}),
        (resolved("openai", max_tokens=7), True, "", {"max_completion_tokens": 7}),
        (resolved("openai", parallel_tool_calls=False), True, "auto",
         {"max_completion_tokens": 4096, "parallel_tool_calls": False, "tool_choice": "auto"}),
        (resolved("openai", parallel_tool_calls=False), False, "any",
         {"max_completion_tokens": 4096}),
        (resolved("qwen"), True, "required",
         {"max_tokens": 4096, "parallel_tool_calls": True, "tool_choice": "required"}),
        (resolved("glm"), True, "required", {"max_tokens": 4096, "tool_stream": True}),
        (resolved("glm"), True, "auto",
         {"max_tokens": 4096, "tool_stream": True, "tool_choice": "auto"}),
        (resolved("minimax", parallel_tool_calls=False), True, "auto",
         {"max_completion_tokens": 4096}),
    ],
)  # fmt: skip
def test_options_follow_the_providers_dialect(
    asked: ResolvedModel, tools: bool, choice: str, extra: dict[str, Any]
) -> None:
    usual = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    assert build_options(asked, RequestOptions(), tools=tools, tool_choice=choice) == usual | extra


def test_provider_without_stream_options_gets_none() -> None:
    asked = replace(resolved("glm"), provider=replace(load_providers()["glm"], stream_usage=False))
    assert "stream_options" not in build_options(asked, RequestOptions(), tools=False)


def test_messages_come_last_in_request() -> None:
    messages = [encode_message(HumanMessage(str(number)), PLAIN) for number in range(5)]
    before, after = (build_body({"model": "m"}, b"[]", messages[:n]) for n in (3, 5))
    assert list(json.loads(after)) == ["model", "tools", "messages"]
    assert after.startswith(before.removesuffix(b"]}"))
    assert b"tools" not in build_body({"model": "m"}, b"", messages)


@given(st.text(st.characters() | st.sampled_from("\ud83d\ude00\0")))
def test_any_text_can_be_sent(text: str) -> None:
    assert isinstance(json.loads(encode_message(HumanMessage(text), PLAIN))["content"], str)
