import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Command, Interrupt, Overwrite, Send

from maxagent.config.errors import MaxAgentError
from maxagent.memory.checkpoints.serializer import StrictSerializer, UnusualRowError, read_messages

CALLING = AIMessage(
    content=[{"type": "text", "text": "I look."}],
    id="a1",
    tool_calls=[{"name": "grep", "args": {"pattern": "模型", "n": 2**63 - 1}, "id": "c1"}],
    additional_kwargs={"role": "coder", "reasoning_content": "…"},
    usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
)
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
STORED_CALL = AIMessage("I look.", id="a", tool_calls=[{"name": "grep", "args": {}, "id": "c"}])
RESULT = ToolMessage("result", id="t", tool_call_id="c")
WHOLE = STORED_CALL.model_dump()["tool_calls"][0]
USED = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
CHANGES: list[tuple[BaseMessage, dict[str, Any]]] = [
    (STORED_CALL, {"content": 7}),
    (STORED_CALL, {"content": [7]}),
    (STORED_CALL, {"id": 7}),
    (STORED_CALL, {"name": 7}),
    (STORED_CALL, {"type": "human"}),
    (STORED_CALL, {"more": 1}),
    (STORED_CALL, {"additional_kwargs": None}),
    (STORED_CALL, {"additional_kwargs": {"tool_calls": []}}),
    (STORED_CALL, {"response_metadata": []}),
    (STORED_CALL, {"tool_calls": None}),
    (STORED_CALL, {"tool_calls": [7]}),
    (STORED_CALL, {"tool_calls": [{"name": "grep", "args": {}, "id": "c"}]}),
    (STORED_CALL, {"tool_calls": [{**WHOLE, "extras": {}}]}),
    (STORED_CALL, {"tool_calls": [{**WHOLE, "name": 7}]}),
    (STORED_CALL, {"tool_calls": [{**WHOLE, "args": []}]}),
    (STORED_CALL, {"tool_calls": [{**WHOLE, "args": {1: 2}}]}),
    (STORED_CALL, {"tool_calls": [{**WHOLE, "id": 7}]}),
    (STORED_CALL, {"tool_calls": [{**WHOLE, "type": "x"}]}),
    (STORED_CALL, {"invalid_tool_calls": [{"name": "x"}]}),
    (STORED_CALL, {"usage_metadata": 7}),
    (STORED_CALL, {"usage_metadata": {"input_tokens": 1}}),
    (STORED_CALL, {"usage_metadata": {**USED, "input_tokens": 1.0}}),
    (STORED_CALL, {"usage_metadata": {**USED, "cost": 1}}),
    (STORED_CALL, {"usage_metadata": {**USED, "input_token_details": {"audio": True}}}),
    (STORED_CALL, {"usage_metadata": {**USED, "output_token_details": {"cached": 1}}}),
    (STORED_CALL, {"usage_metadata": {**USED, "output_token_details": None}}),
    (RESULT, {"tool_call_id": 7}),
    (RESULT, {"status": "failed"}),
    (RESULT, {"artifact": ormsgpack.Ext(5, b"")}),
]
EMPTY: dict[str, Any] = {}


@dataclass
class OfOurOwn:
    text: str


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"todos": [{"id": "1", "done": False}], "n": 1.5, "none": None, "bytes": b"\x00"},
        b"raw",
        CALLING,
        HumanMessage("Hello", id="h"),
        SystemMessage("You are", id="s"),
        ToolMessage("result", tool_call_id="c1", name="grep", status="error", artifact={"n": 1}),
        AIMessageChunk(content="piece", id="k"),
        RemoveMessage(id="a1"),
        Send("tools", {"call": {"args": {}}, "seen": [CALLING]}),
        Interrupt({"action_requests": []}, id="i1"),
        Overwrite([HumanMessage("summary", id="h")]),
        Command(update={"tree": "t"}, goto=[Send("tools", 1)]),
        _DeltaSnapshot([CALLING, HumanMessage("x", id="y")]),
        {"channel_values": {"messages": _DeltaSnapshot([CALLING])}, "versions_seen": {}},
    ],
    ids=lambda value: type(value).__name__,
)
def test_thread_values_survive_round_trip(value: object) -> None:
    serializer = StrictSerializer()
    back = serializer.loads_typed(serializer.dumps_typed(value))
    assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize(
    "value", [OfOurOwn("x"), Path("/x"), {1, 2}, OfOurOwn], ids=["dataclass", "path", "set", "type"]
)
@pytest.mark.parametrize("where", [lambda value: value, lambda value: Send("n", [value])])
def test_unreadable_value_is_not_written(value: object, where: Callable[[object], object]) -> None:
    with pytest.raises((MaxAgentError, TypeError)):
        StrictSerializer().dumps_typed(where(value))


def test_the_refusal_names_the_type() -> None:
    with pytest.raises(MaxAgentError, match=r"a step returned a `pathlib\.[\w.]+`") as error_info:
        StrictSerializer().dumps_typed({"path": Path("/x")})
    assert error_info.value.hint == "return plain data or messages"


def packed(value: object) -> bytes:
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


class Reduced:
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.mkdir, (self.folder,)


def forged(folder: str) -> dict[str, tuple[str, bytes]]:
    """Rows that make a folder when they are believed, one for each way to say it."""
    mkdir = {
        0: ["os", "mkdir", folder],
        1: ["os", "mkdir", [folder]],
        2: ["os", "mkdir", {"path": folder}],
        3: ["pathlib", "Path", folder, "mkdir"],
        4: ["os", "mkdir", {"path": folder}],
        5: ["os", "mkdir", {"path": folder}, "model_validate_json"],
        6: ["|O", [1], "C", b"\x00" * 8],
        8: ["os", "mkdir", folder],
    }
    rows = {
        f"extension {code}": ("msgpack", packed(ormsgpack.Ext(code, packed(output))))
        for code, output in mkdir.items()
    }
    single = ormsgpack.Ext(0, packed(mkdir[0]))
    message = ["langchain_core.messages.ai", "AIMessage", {"content": "x", "id": single}]
    rows |= {
        "in a list": ("msgpack", packed({"messages": [1, {"a": single}]})),
        "in a message": ("msgpack", packed(ormsgpack.Ext(5, packed([*message, "x"])))),
        "in a snapshot": ("msgpack", packed(ormsgpack.Ext(7, packed([single])))),
        "as a key": ("msgpack", packed({"a": ormsgpack.Ext(2, packed([single, "x", {}]))})),
        "json": (
            "json",
            b'{"lc": 2, "type": "constructor", "id": ["os", "mkdir"], "args": ["%s"]}'
            % folder.encode(),
        ),
        "langchain json": (
            "json",
            b'{"lc": 1, "type": "constructor", "id": ["langchain_core", "prompts", "prompt",'
            b' "PromptTemplate"], "kwargs": {"template": "x"}}',
        ),
        "pickle": ("pickle", pickle.dumps(Reduced(folder))),
        "an unknown kind": ("yaml", b"!!python/object/apply:os.mkdir [x]"),
        "not a list": ("msgpack", packed(ormsgpack.Ext(0, packed(7)))),
        "no name": ("msgpack", packed(ormsgpack.Ext(0, packed(["os"])))),
        "a name that is a list": ("msgpack", packed(ormsgpack.Ext(0, packed([["os"], [1], 2])))),
        "broken": ("msgpack", b"\xc7\xff\x00abc"),
    }
    return rows


@pytest.mark.parametrize("name", forged("x"))
def test_a_forged_row_is_refused_and_runs_nothing(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    with pytest.raises(MaxAgentError, match="the thread's data holds a") as error_info:
        StrictSerializer().loads_typed(forged(str(folder))[name])
    assert not folder.exists()
    assert error_info.value.hint == "another program has written to it"


def test_forged_rows_work_when_every_type_is_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(forged(str(folder))["extension 0"])
    assert folder.exists()


def test_types_declared_in_graph_state_are_refused() -> None:
    serializer = StrictSerializer()
    assert serializer.with_msgpack_allowlist([OfOurOwn]) is serializer


def test_a_row_nested_beyond_reason_is_refused() -> None:
    data = packed(1)
    for _ in range(3000):
        data = packed(ormsgpack.Ext(7, data))
    with pytest.raises(MaxAgentError, match="damaged row"):
        StrictSerializer().loads_typed(("msgpack", data))


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


@pytest.mark.parametrize(("message", "changes"), CHANGES)
def test_message_that_validation_may_change_is_unusual(
    message: BaseMessage, changes: Mapping[str, Any]
) -> None:
    assert read_messages(pack_message(message, {})) == message
    with pytest.raises(UnusualRowError):
        read_messages(pack_message(message, changes))


ROWS = [
    LANGGRAPH.dumps_typed(Send("tools", {"seen": [STORED_CALL]}))[1],
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
