"""From the bytes of an Anthropic stream to one message."""

import json
from collections.abc import Sequence
from functools import cache

import pytest
from anthropic_provider import AnthropicProvider
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk

from maxagent.models.anthropic.answer_parser import AnthropicAnswerParser
from maxagent.models.error_classification import RequestTarget
from maxagent.models.errors import BrokenStreamError
from maxagent.models.http.answer_stream import AnswerStream
from maxagent.models.replay import OUTPUT_PARTS

MODEL = "claude-opus-4-7"
TURN = {
    "blocks": [["thinking", "先看 😀"], ["text", "I look. "], ["redacted_thinking", "xyz"]],
    "text": "Then I edit: 中文.",
    "tool_calls": [
        {"name": "look", "args": {"path": "é"}, "id": "c1"},
        {"name": "edit", "args": {"path": "a", "lines": [1, 2]}, "id": "c2"},
    ],
    "portion": 3,
    "request": {"model": MODEL, "thinking": {"type": "adaptive"}},
}


@cache
def encode_turn() -> list[bytes]:
    """The turn's events, characters as UTF-8."""
    with AnthropicProvider() as server:
        lines = [event.split("data: ")[1] for event in server.encode_events(TURN)]
    values = [json.dumps(json.loads(line), ensure_ascii=False) for line in lines]
    return [f"event: x\ndata: {value}\n\n".encode() for value in values]


def read(portions: Sequence[bytes]) -> AIMessageChunk:
    target = RequestTarget(MODEL, "host")
    answer = AnswerStream(target, AnthropicAnswerParser(target, "anthropic"))
    chunks = [chunk for portion in portions for chunk in answer.feed(portion)]
    chunks += answer.close()
    return chunks[0] + chunks[1:]


def test_message_has_text_thinking_calls_usage_and_parts() -> None:
    message = read(encode_turn())
    assert message.content == "I look. Then I edit: 中文."
    assert message.additional_kwargs["reasoning_content"] == "先看 😀"
    assert [(call["name"], call["args"], call["id"]) for call in message.tool_calls] == [
        ("look", {"path": "é"}, "c1"),
        ("edit", {"path": "a", "lines": [1, 2]}, "c2"),
    ]
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 15
    assert message.response_metadata["finish_reason"] == "tool_use"
    parts = message.additional_kwargs[OUTPUT_PARTS]["parts"]
    kinds = ["thinking", "text", "redacted_thinking", "text", "tool_call", "tool_call"]
    assert [part["type"] for part in parts] == kinds
    assert parts[0]["signature"]


@given(st.data())
def test_any_split_of_the_bytes_gives_the_same_message(data: st.DataObject) -> None:
    whole = b"".join(encode_turn())
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    portions = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert comparable(read(portions)) == comparable(read([whole]))


def comparable(message: AIMessageChunk) -> dict[str, object]:
    """The message without what names this one object."""
    return message.model_dump(exclude={"id"})


@pytest.mark.parametrize("kept", [1, 5, 20, -2])
def test_a_stream_without_stop_reason_is_broken(kept: int) -> None:
    with pytest.raises(BrokenStreamError):
        read(encode_turn()[:kept])


def encode_call(name: str, **numbered: int) -> list[dict[str, object]]:
    block = {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": f'{{"for": "{name}"}}'}
    return [
        {"type": "content_block_start", **numbered, "content_block": block},
        {"type": "content_block_delta", **numbered, "delta": delta},
        {"type": "content_block_stop", **numbered},
    ]


def encode_text(text: str, **numbered: int) -> list[dict[str, object]]:
    block = {"type": "text", "text": text}
    return [{"type": "content_block_start", **numbered, "content_block": block}]


@pytest.mark.parametrize(
    "events",
    [
        [*encode_text("Hi", index=0), *encode_call("a", index=1), *encode_call("b", index=2)],
        [*encode_text("Hi"), *encode_call("a"), *encode_call("b")],
        [
            *encode_text("Hi", index=0),
            *encode_call("a", index=0),
            *encode_call("b", index=0),
        ],
        [*encode_text("Hi", index=0), *encode_call("a"), *encode_call("b")],
        [*encode_text("Hi"), *encode_call("a", index=1), *encode_call("b", index=1)],
        [
            *encode_text("Hi", index=3),
            *encode_call("a", index=3)[:1],
            *encode_call("a", index=3),
            *encode_call("b"),
        ],
        [
            {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "?"}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hi"}},
            *encode_call("a"),
            *encode_call("b"),
        ],
    ],
)
def test_blocks_are_found_whatever_their_numbers(events: list[dict[str, object]]) -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    message = read([f"data: {json.dumps(event)}\n\n".encode() for event in [*events, end]])
    assert message.content == "Hi"
    assert [(call["name"], call["args"]) for call in message.tool_calls] == [
        ("a", {"for": "a"}),
        ("b", {"for": "b"}),
    ]
