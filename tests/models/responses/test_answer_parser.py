"""From the bytes of a Responses stream to message chunks."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from provider import Request
from responses_provider import ResponsesProvider

from maxagent.models.error_classification import RequestTarget
from maxagent.models.errors import (
    BrokenStreamError,
    ContextOverflowError,
    ModelCallError,
    ProviderFaultError,
    RateLimitError,
)
from maxagent.models.http.answer_stream import AnswerStream
from maxagent.models.replay import OUTPUT_PARTS
from maxagent.models.responses.answer_parser import ResponsesAnswerParser

ASKED = {"model": "gpt-5", "store": False, "input": []}


def serve(turn: dict[str, Any]) -> dict[str, Any]:
    """What the server would send, without a connection."""
    server = ResponsesProvider()
    server.script([turn])
    answer = dict(server.answer(Request("/v1/responses", {}, json.dumps(ASKED).encode())))
    server._server.server_close()
    return answer


def stream_of(turn: dict[str, Any]) -> bytes:
    return "".join(f"{line}\n" for line in serve(turn)["sse"]).encode()


def open_stream() -> AnswerStream:
    target = RequestTarget("gpt-5", "host")
    return AnswerStream(target, ResponsesAnswerParser(target, "openai"))


def answer(*portions: bytes | str) -> AIMessageChunk:
    stream = open_stream()
    encoded = [part.encode() if isinstance(part, str) else part for part in portions]
    chunks = [chunk for portion in encoded for chunk in stream.feed(portion)]
    chunks += stream.close()
    return chunks[0] + chunks[1:]


def event(kind: str, **fields: Any) -> str:
    return f"data: {json.dumps({'type': kind, **fields})}\n\n"


def end(status: str = "completed", **fields: Any) -> str:
    return event(f"response.{status}", response={"status": status, **fields})


TURN = {
    "thinking": "Let me see",
    "text": "Hello 中文",
    "tool_calls": [{"name": "edit", "args": {"a": [1]}, "id": "c1"}],
}


def check_turn(ai_message_chunk: AIMessageChunk) -> None:
    assert ai_message_chunk.content == "Hello 中文"
    assert ai_message_chunk.additional_kwargs["reasoning_content"] == "Let me see"
    assert [(call["name"], call["args"], call["id"]) for call in ai_message_chunk.tool_calls] == [
        ("edit", {"a": [1]}, "c1")
    ]
    usage = ai_message_chunk.usage_metadata
    assert usage is not None and usage["total_tokens"] == 15
    assert usage.get("input_token_details") == {"cache_read": 4}
    assert usage.get("output_token_details") == {"reasoning": 2}
    assert ai_message_chunk.response_metadata == {
        "finish_reason": "tool_calls",
        "model_name": "gpt-5",
        "model_provider": "openai-compatible",
    }
    additional_kwarg = ai_message_chunk.additional_kwargs[OUTPUT_PARTS]
    assert additional_kwarg["api"] == "responses"
    reasoning, text, call = additional_kwarg["parts"]
    assert reasoning["encrypted_content"].endswith("abcdef")
    assert (text, call) == ({"type": "text", "length": 8}, {"type": "tool_call", "index": 0})


def test_stream_gives_text_thinking_calls_and_usage() -> None:
    check_turn(answer(stream_of(TURN)))


def test_one_json_document_is_an_answer_too() -> None:
    stream = open_stream()
    body = json.dumps(serve({**TURN, "streamed": False})["body"])
    chunks = [*stream.feed_document(body), *stream.close()]
    check_turn(chunks[0] + chunks[1:])


def test_items_at_the_end_alone_count() -> None:
    events = stream_of(TURN).split(b"\n\n")
    check_turn(answer(events[0] + b"\n\n", b"\n\n".join(events[-2:])))


def test_answer_without_thinking_keeps_no_parts() -> None:
    assert answer(stream_of({"text": "x"})).additional_kwargs == {}


def test_two_messages_keep_lengths_and_phases() -> None:
    items = [{"text": "Look.", "phase": "commentary"}, {"thinking": "hm"}, {"text": "So."}]
    full_text = answer(stream_of({"items": items}))
    assert full_text.content == "Look.\n\nSo."
    first, _, last = full_text.additional_kwargs[OUTPUT_PARTS]["parts"]
    assert first == {"type": "text", "length": 7, "phase": "commentary"}
    assert last == {"type": "text", "length": 3}


def test_valid_calls_are_counted_first() -> None:
    calls = [{"thinking": "hm"}, {"name": "a", "args": '{"half'}, {"name": "b"}]
    full_text = answer(stream_of({"items": calls}))
    assert [call["name"] for call in full_text.tool_calls] == ["b"]
    assert [call["name"] for call in full_text.invalid_tool_calls] == ["a"]
    parts = full_text.additional_kwargs[OUTPUT_PARTS]["parts"][1:]
    assert [part["index"] for part in parts] == [1, 0]


@pytest.mark.parametrize("arguments", ["", '{"path": "a'])
def test_a_call_cut_at_the_limit_is_invalid(arguments: str) -> None:
    call = {"name": "write", "args": arguments, "status": "incomplete"}
    full_text = answer(stream_of({"tool_calls": [call], "finish_reason": "max_output_tokens"}))
    assert full_text.tool_calls == []
    assert [call["name"] for call in full_text.invalid_tool_calls] == ["write"]
    assert full_text.response_metadata["finish_reason"] == "max_output_tokens"


@pytest.mark.parametrize(
    ("events", "text", "thinking"),
    [
        ([event("response.refusal.delta", delta="No.")], "No.", None),
        ([event("response.reasoning_text.delta", delta="hm")], "", "hm"),
        ([event("response.reasoning_summary_text.delta", summary_index=0, delta="a"),
          event("response.reasoning_summary_text.delta", summary_index=1, delta="b")],
         "", "a\n\nb"),
        ([event("response.output_text.delta", delta="\ud83d"),
          event("response.output_text.delta", delta="\ude00")], "😀", None),
        ([event("response.something.new", delta="x"), ": comment\n\n"], "", None),
    ],
)  # fmt: skip
def test_every_kind_of_piece_is_read(events: list[str], text: str, thinking: str | None) -> None:
    full_text = answer(*events, end())
    assert full_text.content == text
    assert full_text.additional_kwargs.get("reasoning_content") == thinking


def test_gateway_that_numbers_all_items_alike() -> None:
    items = [{"type": "function_call", "call_id": f"c{n}", "name": "look"} for n in (1, 2)]
    parts = [
        event(f"response.{kind}", output_index=0, **fields)
        for item in items
        for kind, fields in (
            ("output_item.added", {"item": item}),
            ("function_call_arguments.delta", {"delta": '{"a": 1}'}),
            ("output_item.done", {"item": {**item, "arguments": '{"a": 1}'}}),
        )
    ]
    calls = answer(*parts, end(output=items)).tool_calls
    assert [(call["id"], call["args"]) for call in calls] == [("c1", {"a": 1}), ("c2", {"a": 1})]


TEXT = event("response.output_text.delta", delta="half an ans")
SLOW = {"code": "rate_limit_exceeded", "message": "slow"}


@pytest.mark.parametrize(
    ("stream", "failure"),
    [
        ("", BrokenStreamError),
        (TEXT, BrokenStreamError),
        (TEXT + "data: {broken\n\n", BrokenStreamError),
        (TEXT + end("failed", error={"code": "server_error", "message": "oops"}),
         ProviderFaultError),
        (end("failed", error=SLOW), RateLimitError),
        (end("failed"), ProviderFaultError),
        (end("cancelled"), ProviderFaultError),
        (event("error", code="x", message="Your input exceeds the context window of this model"),
         ContextOverflowError),
        (event("error", error={"code": "context_length_exceeded", "message": "too long"}),
         ContextOverflowError),
        (f"data: {json.dumps({'error': SLOW})}\n\n", RateLimitError),
    ],
)  # fmt: skip
def test_a_stream_that_fails_says_how(stream: str, failure: type[ModelCallError]) -> None:
    with pytest.raises(failure, match="`gpt-5` at host"):
        answer(stream)


ITEMS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"thinking": st.sampled_from(["", "why 😀"])}),
        st.fixed_dictionaries({"text": st.sampled_from(["Hello 中文 😀", "x"])}),
        st.fixed_dictionaries(
            {
                "name": st.sampled_from(["read", "edit"]),
                "id": st.uuids().map(str),
                "args": st.sampled_from([{}, {"a": "中"}, '{"a": "half', ""]),
            }
        ),
    ),
    max_size=5,
)
TURNS = st.fixed_dictionaries({"items": ITEMS, "portion": st.integers(1, 30)})


@given(TURNS, st.data())
def test_byte_boundaries_do_not_change_answer(turn: dict[str, Any], draw: st.DataObject) -> None:
    stream = stream_of(turn)
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    portions = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert answer(*portions) == answer(stream)


@given(
    st.lists(st.binary() | st.sampled_from([b"data: {", b'"type":"response.completed"', b"}\n\n"]))
)
def test_no_bytes_make_it_fail_otherwise(portions: list[bytes]) -> None:
    try:
        answer(*portions)
    except ModelCallError as failure:
        assert failure.message


def encode_begin(name: str, item_id: str, **numbered: int) -> str:
    call = {"type": "function_call", "id": item_id, "call_id": f"call_{name}", "name": name}
    return encode_event("response.output_item.added", item=call, **numbered)


def encode_piece(name: str, item_id: str, **numbered: int) -> str:
    delta = f'{{"for": "{name}"}}'
    kind = "response.function_call_arguments.delta"
    return encode_event(kind, item_id=item_id, delta=delta, **numbered)


def encode_finish(name: str, item_id: str, **numbered: int) -> str:
    call = {"type": "function_call", "id": item_id, "call_id": f"call_{name}", "name": name}
    call["arguments"] = f'{{"for": "{name}"}}'
    return encode_event("response.output_item.done", item=call, **numbered)


def encode_event(kind: str, **fields: object) -> str:
    return f"data: {json.dumps({'type': kind, **fields})}\n\n"


@pytest.mark.parametrize("numbered", [{}, {"output_index": 0}])
@pytest.mark.parametrize(
    ("steps", "ids"),
    [
        ("begin a, piece a, finish a, begin b, piece b, finish b", "kept"),
        ("begin a, begin b, piece a, piece b, finish a, finish b", "kept"),
        ("begin a, begin b, piece b, piece a, finish b, finish a", "kept"),
        ("begin a, begin b, piece a, piece b", "kept"),
        ("begin a, begin b, finish a, finish b", "new"),
        ("begin a, piece a, finish a, begin b, piece b, finish b", "new"),
    ],
)
def test_calls_of_one_number_are_told_apart(steps: str, ids: str, numbered: dict[str, int]) -> None:
    encoders = {"begin": encode_begin, "piece": encode_piece, "finish": encode_finish}
    parts = list[str]()
    for at, step in enumerate(steps.split(", ")):
        verb, name = step.split()
        parts.append(encoders[verb](name, f"fc_{name if ids == 'kept' else at}", **numbered))
    end = encode_event("response.completed", response={"status": "completed", "output": []})
    message = answer(*parts, end)
    assert sorted((call["name"], call["args"]["for"]) for call in message.tool_calls) == [
        ("a", "a"),
        ("b", "b"),
    ]
