"""From the bytes of a stream to message chunks."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from provider import events

from maxagent.models.chat_completions.answer_parser import ChatAnswerParser
from maxagent.models.error_classification import RequestTarget
from maxagent.models.errors import (
    BrokenStreamError,
    ContextOverflowError,
    ModelCallError,
    ProviderFaultError,
    RateLimitError,
)
from maxagent.models.http.answer_stream import AnswerStream

DONE = "data: [DONE]\n\n"


def data(value: object) -> str:
    return f"data: {json.dumps(value)}\n\n"


def delta(finish_reason: str | None = None, **fields: Any) -> str:
    return data({"choices": [{"index": 0, "delta": fields, "finish_reason": finish_reason}]})


def open_stream(model: str, host: str, provider: str) -> AnswerStream:
    target = RequestTarget(model, host)
    return AnswerStream(target, ChatAnswerParser(target, provider))


def answer(*portions: bytes | str, provider: str = "glm") -> AIMessageChunk:
    stream = open_stream("glm-4.6", "host", provider)
    encoded = [part.encode() if isinstance(part, str) else part for part in portions]
    chunks = [chunk for portion in encoded for chunk in stream.feed(portion)]
    chunks += stream.close()
    return chunks[0] + chunks[1:]


def test_answer_has_text_thinking_calls_usage_and_metadata() -> None:
    turn = {"text": "Hello 中文", "thinking": "Let me see"}
    turn["tool_calls"] = [{"name": "edit", "args": {"a": [1]}, "id": "c1"}]
    whole = answer(*events(turn))
    assert whole.content == "Hello 中文"
    assert whole.additional_kwargs == {"reasoning_content": "Let me see"}
    assert whole.tool_calls == [
        {"name": "edit", "args": {"a": [1]}, "id": "c1", "type": "tool_call"}
    ]
    assert whole.usage_metadata is not None and whole.usage_metadata["total_tokens"] == 15
    assert whole.response_metadata == {
        "finish_reason": "tool_calls",
        "model_name": "served",
        "model_provider": "glm",
    }
    assert whole.chunk_position == "last"


def test_thinking_is_content_block_under_openai_name() -> None:
    whole = answer(*events({"text": "x", "thinking": "why"}), provider="openai")
    assert [block["type"] for block in whole.content_blocks] == ["reasoning", "text"]


def test_text_is_passed_on_with_every_portion() -> None:
    stream = open_stream("m", "h", "glm")
    first = stream.feed((delta(content="One ") + delta(content="two ")).encode())
    assert [chunk.content for chunk in first] == ["One two "]
    assert [chunk.content for chunk in stream.feed(delta(content="three").encode())] == ["three"]
    assert not stream.is_finished
    stream.feed((delta("stop") + DONE).encode())
    assert stream.is_finished and stream.said_done


def test_tags_in_the_text_are_thinking() -> None:
    whole = answer(delta(content="<thi"), delta(content="nk>why</think>\n\nso"), delta("stop"))
    assert (whole.additional_kwargs["reasoning_content"], whole.content) == ("why", "so")


def test_a_character_in_two_halves_is_one() -> None:
    event = 'data: {"choices":[{"delta":{"content":"HALF"}}]}\n\n'
    halves = [event.replace("HALF", half) for half in (r"\ud83d", r"\ude00")]
    whole = answer(*halves, delta("stop"))
    assert whole.content == "😀"


def test_cut_call_is_invalid_and_not_completed() -> None:
    cut = {"tool_calls": [{"name": "write_file", "args": '{"path": "a", "content": "half'}]}
    whole = answer(*events({**cut, "finish_reason": "length"}))
    assert whole.tool_calls == []
    assert [call["name"] for call in whole.invalid_tool_calls] == ["write_file"]


def test_the_last_usage_counts_not_the_sum() -> None:
    usage = [{"usage": {"prompt_tokens": 10, "completion_tokens": n}} for n in (1, 2, 3)]
    whole = answer(*(data(each) for each in usage), delta("stop", content="x"))
    assert whole.usage_metadata is not None and whole.usage_metadata["total_tokens"] == 13


def test_whole_message_at_stream_end_is_not_repeated() -> None:
    message = {"content": "Hi", "tool_calls": []}
    repeated = data({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert answer(delta(content="Hi"), repeated).content == "Hi"
    assert answer(repeated).content == "Hi"


def test_one_json_document_is_an_answer_too() -> None:
    stream = open_stream("m", "h", "glm")
    message = {"content": "<think>a</think>b", "reasoning_content": ""}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    chunks = [*stream.feed_document(body), *stream.close()]
    whole = chunks[0] + chunks[1:]
    assert (whole.additional_kwargs["reasoning_content"], whole.content) == ("a", "b")


@pytest.mark.parametrize(
    ("stream", "failure"),
    [
        ("", BrokenStreamError),
        (delta(content="half an ans"), BrokenStreamError),
        (delta(content="x") + DONE, BrokenStreamError),
        (delta(content="x") + "data: {broken\n\n", BrokenStreamError),
        (delta("error"), ProviderFaultError),
        (delta("network_error", content="x"), ProviderFaultError),
        (delta("insufficient_system_resource"), ProviderFaultError),
        (delta("model_context_window_exceeded", content="x"), ContextOverflowError),
        (delta(content="x") + data({"error": {"message": "slow", "code": 429}}), RateLimitError),
        ('event: error\ndata: {"error": {"message": "oops"}}\n\n', ProviderFaultError),
        (data({"code": "x", "message": "prompt is too long"}), ContextOverflowError),
    ],
)
def test_a_stream_that_fails_says_how(stream: str, failure: type[ModelCallError]) -> None:
    with pytest.raises(failure, match="`glm-4.6` at host"):
        answer(stream)


def test_broken_data_after_end_is_ignored() -> None:
    assert answer(delta("stop", content="x"), 'data: {"usage": {"pro').content == "x"


TURNS = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["", "Hello 中文 😀", "<think>a</think>\n\nb"]),
        "thinking": st.sampled_from(["", "why 😀"]),
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {
                    "name": st.sampled_from(["read", "edit"]),
                    "id": st.uuids().map(str),
                    "args": st.sampled_from([{}, {"a": "中"}, '{"a": "half', ""]),
                }
            ),
            max_size=3,
        ),
        "portion": st.integers(1, 30),
    }
)


@given(TURNS, st.data())
def test_byte_boundaries_do_not_change_answer(turn: dict[str, Any], draw: st.DataObject) -> None:
    stream = "".join(events(turn)).encode()
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    portions = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert answer(*portions) == answer(stream)


@given(st.lists(st.binary() | st.sampled_from([b"data: {", b'"choices":[', b"}\n\n"])))
def test_no_bytes_make_it_fail_otherwise(portions: list[bytes]) -> None:
    try:
        answer(*portions)
    except ModelCallError as failure:
        assert failure.message
