"""From the bytes of a stream to message chunks."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from provider import events

from maxagent.models.chat_completions.answer_parser import (
    ChatAnswerParser,
    Delta,
    EntryAssembler,
    parse_delta,
)
from maxagent.models.error_classification import RequestTarget
from maxagent.models.errors import (
    BrokenStreamError,
    ContextOverflowError,
    ModelCallError,
    ProviderFaultError,
    RateLimitError,
)
from maxagent.models.http.answer_stream import AnswerStream

TEXT = {"type": "reasoning.text", "index": 0}


@pytest.mark.parametrize(
    ("parts", "entries"),
    [
        ([{**TEXT, "text": "a"}, {**TEXT, "text": "b", "signature": None},
          {**TEXT, "text": "", "signature": "s"}],
         [{**TEXT, "text": "ab", "signature": "s"}]),
        ([{**TEXT, "text": "a"}, {"type": "reasoning.text", "index": 1, "text": "b"},
          {**TEXT, "text": "c"}],
         [{**TEXT, "text": "ac"}, {"type": "reasoning.text", "index": 1, "text": "b"}]),
        ([{**TEXT, "text": "a"}, {"type": "reasoning.encrypted", "index": 0, "data": "x"},
          {"type": "reasoning.encrypted", "index": 0, "data": "y"}],
         [{**TEXT, "text": "a"}, {"type": "reasoning.encrypted", "index": 0, "data": "x"},
          {"type": "reasoning.encrypted", "index": 0, "data": "y"}]),
        ([{"type": "reasoning.encrypted", "data": "x"}] * 2,
         [{"type": "reasoning.encrypted", "data": "x"}]),
        ([{"type": "thinking", "thinking": "a", "signature": ""},
          {"type": "thinking", "thinking": "b", "signature": "s"},
          {"type": "thinking", "thinking": "c", "signature": ""},
          {"type": "thinking", "thinking": "", "signature": "t"}],
         [{"type": "thinking", "thinking": "ab", "signature": "s"},
          {"type": "thinking", "thinking": "c", "signature": "t"}]),
    ],
)  # fmt: skip
def test_pieces_make_entries(parts: list[dict[str, Any]], entries: list[dict[str, Any]]) -> None:
    assembler = EntryAssembler()
    for piece in parts:
        assembler.add_deltas([piece])
    assert assembler.entries == entries


def choice(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta}]}


@pytest.mark.parametrize(
    ("value", "thinking", "text"),
    [
        (choice(content="Hi"), "", "Hi"),
        (choice(content=None, refusal="I cannot"), "", "I cannot"),
        (choice(content=[{"type": "text", "text": "a"}, {"type": "x"}, "b"]), "", "a"),
        (choice(reasoning_content="why", content=""), "why", ""),
        (choice(reasoning="why", reasoning_details=[{"text": "why"}]), "why", ""),
        (choice(reasoning_details=[{"text": "a"}, {"summary": "b"}, {"data": "c"}]), "ab", ""),
        ({"choices": [{"index": 1, "delta": {"content": "other"}}]}, "", ""),
        ({"choices": [{"delta": {"content": "no index"}}]}, "", "no index"),
        ({"choices": []}, "", ""),
        (choice(reasoning_text="why"), "why", ""),
        (choice(thinking="why", content="Hi"), "why", "Hi"),
        (
            choice(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "why"}]}]),
            "why",
            "",
        ),
    ],
)
def test_text_and_thinking_are_found(value: dict[str, Any], thinking: str, text: str) -> None:
    delta = parse_delta(value)
    assert (delta.thinking, delta.text) == (thinking, text)


def test_a_message_is_the_whole_answer() -> None:
    message = {"content": "Hi", "tool_calls": [{"id": "a"}]}
    delta = parse_delta({"choices": [{"message": message, "finish_reason": "stop"}], "model": "m"})
    expected = ("Hi", [{"id": "a"}], "stop", "m", True)
    assert (delta.text, delta.calls, delta.finish_reason, delta.model, delta.repeats) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, (10, 5, 15, 0, 0)),
        ({"prompt_tokens": 10, "completion_tokens": 5}, (10, 5, 15, 0, 0)),
        ({"input_tokens": 10, "output_tokens": 5}, (10, 5, 15, 0, 0)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}, (9, 0, 9, 4, 0)),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, (9, 0, 9, 4, 0)),
        ({"prompt_tokens": 9, "cached_tokens": 4}, (9, 0, 9, 4, 0)),
        ({"prompt_tokens": 9, "cached_tokens": 40}, (49, 0, 49, 40, 0)),
        ({"prompt_tokens": "9", "completion_tokens": "3.0"}, (9, 3, 12, 0, 0)),
        (
            {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 7}},
            (0, 9, 9, 0, 7),
        ),
        ({"prompt_tokens": None, "completion_tokens": "x", "total_tokens": 3}, (0, 0, 3, 0, 0)),
    ],
)
def test_tokens_are_counted_under_every_name(
    counts: dict[str, Any], expected: tuple[int, ...]
) -> None:
    for value in ({"usage": counts}, {"choices": [{"delta": {}, "usage": counts}]}):
        usage = parse_delta(value).usage
        assert usage is not None
        assert (
            usage["input_tokens"],
            usage["output_tokens"],
            usage["total_tokens"],
            usage.get("input_token_details", {}).get("cache_read"),
            usage.get("output_token_details", {}).get("reasoning"),
        ) == expected


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"error": {"message": "no"}}, {"message": "no"}),
        ({"error": "no"}, "no"),
        ({"code": "Throttling", "message": "no"}, {"code": "Throttling", "message": "no"}),
        ({"error": None, "choices": []}, None),
        ({"error": True, "message": "no"}, {"error": True, "message": "no"}),
        ({"code": 500, "msg": "no", "success": False},
         {"code": 500, "msg": "no", "success": False}),
        ({"detail": "no"}, {"detail": "no"}),
        ({"choices": None, "base_resp": {"status_code": 1004, "status_msg": "no"}},
         {"status_code": 1004, "status_msg": "no"}),
        ({"errors": [{"message": "no"}]}, {"message": "no"}),
        ({"choices": [{"finish_reason": "error", "error": {"message": "no"}}]}, {"message": "no"}),
        ({"choices": [{"delta": {}}], "base_resp": {"status_code": 0}}, None),
        ({"choices": [{"delta": {}}], "message": "hello"}, None),
    ],
)  # fmt: skip
def test_error_in_place_of_answer_is_found(value: dict[str, Any], error: object) -> None:
    assert parse_delta(value).error == error


NAMES = ["choices", "delta", "message", "index", "content", "tool_calls", "function", "usage"]
NAMES += ["reasoning_details", "prompt_tokens_details", "text", "finish_reason", "model", "id"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
)


@given(st.dictionaries(st.sampled_from(NAMES), JSON))
def test_no_shape_makes_it_fail(value: dict[str, Any]) -> None:
    assert isinstance(parse_delta(value), Delta)


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
    full_text = answer(*events(turn))
    assert full_text.content == "Hello 中文"
    assert full_text.additional_kwargs == {"reasoning_content": "Let me see"}
    assert full_text.tool_calls == [
        {"name": "edit", "args": {"a": [1]}, "id": "c1", "type": "tool_call"}
    ]
    assert full_text.usage_metadata is not None and full_text.usage_metadata["total_tokens"] == 15
    assert full_text.response_metadata == {
        "finish_reason": "tool_calls",
        "model_name": "served",
        "model_provider": "glm",
    }
    assert full_text.chunk_position == "last"


def test_thinking_is_content_block_under_openai_name() -> None:
    full_text = answer(*events({"text": "x", "thinking": "why"}), provider="openai")
    assert [block["type"] for block in full_text.content_blocks] == ["reasoning", "text"]


def test_text_is_passed_on_with_every_portion() -> None:
    stream = open_stream("m", "h", "glm")
    first = stream.feed((delta(content="One ") + delta(content="two ")).encode())
    assert [chunk.content for chunk in first] == ["One two "]
    assert [chunk.content for chunk in stream.feed(delta(content="three").encode())] == ["three"]
    assert not stream.is_finished
    stream.feed((delta("stop") + DONE).encode())
    assert stream.is_finished and stream.said_done


def test_tags_in_the_text_are_thinking() -> None:
    full_text = answer(delta(content="<thi"), delta(content="nk>why</think>\n\nso"), delta("stop"))
    assert (full_text.additional_kwargs["reasoning_content"], full_text.content) == ("why", "so")


def test_a_character_in_two_halves_is_one() -> None:
    event = 'data: {"choices":[{"delta":{"content":"HALF"}}]}\n\n'
    halves = [event.replace("HALF", half) for half in (r"\ud83d", r"\ude00")]
    full_text = answer(*halves, delta("stop"))
    assert full_text.content == "😀"


def test_cut_call_is_invalid_and_not_completed() -> None:
    cut = {"tool_calls": [{"name": "write_file", "args": '{"path": "a", "content": "half'}]}
    full_text = answer(*events({**cut, "finish_reason": "length"}))
    assert full_text.tool_calls == []
    assert [call["name"] for call in full_text.invalid_tool_calls] == ["write_file"]


def test_the_last_usage_counts_not_the_sum() -> None:
    usage = [{"usage": {"prompt_tokens": 10, "completion_tokens": n}} for n in (1, 2, 3)]
    full_text = answer(*(data(each) for each in usage), delta("stop", content="x"))
    assert full_text.usage_metadata is not None and full_text.usage_metadata["total_tokens"] == 13


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
    chunk = chunks[0] + chunks[1:]
    assert (chunk.additional_kwargs["reasoning_content"], chunk.content) == ("a", "b")


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


CALL = {"index": 0, "id": "c", "function": {"name": "look", "arguments": '{"a": 1}'}}
COUNTED = data({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}})


@pytest.mark.parametrize(
    ("stream", "text", "calls"),
    [
        (delta(tool_calls=[CALL]) + DONE, "", 1),
        (delta("", tool_calls=[CALL]) + DONE, "", 1),
        (delta(content="Hi") + COUNTED + DONE, "Hi", 0),
        (delta("STOP", content="Hi"), "Hi", 0),
        (delta("eos", content="Hi") + DONE, "Hi", 0),
        (delta("tool_calls", tool_calls=CALL) + DONE, "", 1),
        (delta("function_call", function_call=CALL["function"]) + DONE, "", 1),
        ('{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}', "Hi", 0),
    ],
)  # fmt: skip
def test_odd_ends_are_ends(stream: str, text: str, calls: int) -> None:
    chunk = answer(stream)
    assert (chunk.text, len(chunk.tool_calls)) == (text, calls)


@pytest.mark.parametrize(
    ("stream", "quote"),
    [
        ("event: error\ndata: upstream exploded\n\n", "upstream exploded"),
        ("upstream connect error", "upstream connect error"),
        ('{"error": {"message": "no quota"}}', "no quota"),
        ('{"detail": "no deployment"}', "no deployment"),
        (delta("error") + DONE, "gave up: error"),
        (delta(content="Hi") + DONE, "without a finish reason"),
        (delta(tool_calls=[{**CALL, "function": {"name": "look", "arguments": '{"a'}}]) + DONE,
         "without a finish reason"),
    ],
)  # fmt: skip
def test_words_of_other_ends_are_quoted(stream: str, quote: str) -> None:
    with pytest.raises(ModelCallError, match=quote):
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
