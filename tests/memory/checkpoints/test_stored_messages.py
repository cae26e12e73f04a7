"""A message built without validation is the one that LangGraph builds with it."""

from collections.abc import Mapping
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Send

from maxagent.memory.checkpoints.stored_messages import UnusualRowError, read_messages

LANGGRAPH = JsonPlusSerializer(pickle_fallback=False, allowed_msgpack_modules=None)

TEXT = st.text(max_size=5)
PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | TEXT
MAPPINGS = st.dictionaries(TEXT, PLAIN | st.lists(PLAIN, max_size=2), max_size=2)
COUNTS = st.integers(0, 9)
BASE: dict[str, st.SearchStrategy[Any]] = {
    "content": TEXT | st.lists(TEXT | MAPPINGS, max_size=2),
    "additional_kwargs": MAPPINGS,
    "response_metadata": MAPPINGS,
    "name": st.none() | TEXT,
    "id": st.none() | TEXT,
}
USAGE = st.fixed_dictionaries(
    {"input_tokens": COUNTS, "output_tokens": COUNTS, "total_tokens": COUNTS},
    optional={
        "input_token_details": st.dictionaries(st.sampled_from(["audio", "cache_read"]), COUNTS),
        "output_token_details": st.dictionaries(st.just("reasoning"), COUNTS),
    },
)
CALL = st.fixed_dictionaries({"name": TEXT, "args": MAPPINGS, "id": st.none() | TEXT})
MESSAGES = st.one_of(
    st.fixed_dictionaries(BASE).map(lambda value: HumanMessage(**value)),
    st.fixed_dictionaries(
        {**BASE, "tool_calls": st.lists(CALL, max_size=2), "usage_metadata": st.none() | USAGE}
    ).map(lambda value: AIMessage(**value)),
    st.fixed_dictionaries(
        {
            **BASE,
            "tool_call_id": TEXT,
            "artifact": PLAIN | MAPPINGS,
            "status": st.sampled_from(["success", "error"]),
        }
    ).map(lambda value: ToolMessage(**value)),
)


def parts_of(message: BaseMessage) -> tuple[object, ...]:
    """All that a message is made of, its fields in order."""
    return (
        type(message),
        [*message.__dict__.items()],
        message.model_fields_set,
        message.model_extra,
        message.__pydantic_private__,
    )


@given(st.lists(MESSAGES, max_size=3))
def test_messages_are_those_that_langgraph_builds(messages: list[BaseMessage]) -> None:
    kind, row = LANGGRAPH.dumps_typed({"messages": messages})
    ours, theirs = read_messages(row)["messages"], LANGGRAPH.loads_typed((kind, row))["messages"]
    assert [parts_of(each) for each in ours] == [parts_of(each) for each in theirs]
    assert LANGGRAPH.dumps_typed(ours) == LANGGRAPH.dumps_typed(theirs)


@pytest.mark.parametrize("value", [None, 7, [], {"a": [1, b"x"]}, {1: 2}])
def test_plain_row_is_read(value: object) -> None:
    assert read_messages(LANGGRAPH.dumps_typed([value])[1]) == [value]


def pack(value: Any) -> bytes:
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


def pack_message(message: BaseMessage, changes: Mapping[str, Any]) -> bytes:
    kind = type(message)
    parts = [kind.__module__, kind.__name__, {**message.model_dump(), **changes}]
    return pack(ormsgpack.Ext(5, pack([*parts, "model_validate_json"])))


CALLING = AIMessage("I look.", id="a", tool_calls=[{"name": "grep", "args": {}, "id": "c"}])
RESULT = ToolMessage("result", id="t", tool_call_id="c")
WHOLE = CALLING.model_dump()["tool_calls"][0]
USED = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}


CHANGES: list[tuple[BaseMessage, dict[str, Any]]] = [
    (CALLING, {"content": 7}),
    (CALLING, {"content": [7]}),
    (CALLING, {"id": 7}),
    (CALLING, {"name": 7}),
    (CALLING, {"type": "human"}),
    (CALLING, {"more": 1}),
    (CALLING, {"additional_kwargs": None}),
    (CALLING, {"additional_kwargs": {"tool_calls": []}}),
    (CALLING, {"response_metadata": []}),
    (CALLING, {"tool_calls": None}),
    (CALLING, {"tool_calls": [7]}),
    (CALLING, {"tool_calls": [{"name": "grep", "args": {}, "id": "c"}]}),
    (CALLING, {"tool_calls": [{**WHOLE, "extras": {}}]}),
    (CALLING, {"tool_calls": [{**WHOLE, "name": 7}]}),
    (CALLING, {"tool_calls": [{**WHOLE, "args": []}]}),
    (CALLING, {"tool_calls": [{**WHOLE, "args": {1: 2}}]}),
    (CALLING, {"tool_calls": [{**WHOLE, "id": 7}]}),
    (CALLING, {"tool_calls": [{**WHOLE, "type": "x"}]}),
    (CALLING, {"invalid_tool_calls": [{"name": "x"}]}),
    (CALLING, {"usage_metadata": 7}),
    (CALLING, {"usage_metadata": {"input_tokens": 1}}),
    (CALLING, {"usage_metadata": {**USED, "input_tokens": 1.0}}),
    (CALLING, {"usage_metadata": {**USED, "cost": 1}}),
    (CALLING, {"usage_metadata": {**USED, "input_token_details": {"audio": True}}}),
    (CALLING, {"usage_metadata": {**USED, "output_token_details": {"cached": 1}}}),
    (CALLING, {"usage_metadata": {**USED, "output_token_details": None}}),
    (RESULT, {"tool_call_id": 7}),
    (RESULT, {"status": "failed"}),
    (RESULT, {"artifact": ormsgpack.Ext(5, b"")}),
]


@pytest.mark.parametrize(("message", "changes"), CHANGES)
def test_message_that_validation_may_change_is_unusual(
    message: BaseMessage, changes: Mapping[str, Any]
) -> None:
    assert read_messages(pack_message(message, {})) == message
    with pytest.raises(UnusualRowError):
        read_messages(pack_message(message, changes))


EMPTY: dict[str, Any] = {}
ROWS = [
    LANGGRAPH.dumps_typed(Send("tools", {"seen": [CALLING]}))[1],
    pack(ormsgpack.Ext(5, pack(7))),
    pack(ormsgpack.Ext(5, pack(["os"]))),
    pack(ormsgpack.Ext(5, pack([["os"], [1], EMPTY, ""]))),
    pack(ormsgpack.Ext(5, pack(["os", "mkdir", EMPTY, ""]))),
    b"\xc7\xff\x00abc",
]


@pytest.mark.parametrize("row", ROWS)
def test_row_with_anything_else_is_unusual(row: bytes) -> None:
    with pytest.raises(UnusualRowError):
        read_messages(row)
