"""One JSON object of a stream, under the names of any vendor."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.chat_completions.delta_parser import Delta, parse_delta


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
    ],
)
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
