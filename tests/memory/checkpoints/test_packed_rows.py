from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Overwrite, Send

from maxagent.config.errors import UsageError
from maxagent.memory.checkpoints.packed_rows import (
    PackedObject,
    pack_row,
    rewrite_texts,
    unpack_row,
)
from maxagent.memory.checkpoints.row_compression import expand_row
from maxagent.memory.checkpoints.serializer import StrictSerializer

SERIALIZER = StrictSerializer()


CALL = {"name": "edit", "args": {"text": "secret", "more": ["secret", 7, None, 1.5]}, "id": "c"}


VALUES: list[Any] = [
    [HumanMessage("secret", additional_kwargs={"role": "build"}), AIMessage("", tool_calls=[CALL])],
    [ToolMessage("secret", tool_call_id="c", additional_kwargs={"seen": {"secret.txt": "1"}})],
    _DeltaSnapshot([HumanMessage("secret")]),
    Overwrite([HumanMessage("secret")]),
    Send("tools", {"folder": "/secret"}),
    {"v": 4, 3: "secret", "big": 2**63, "bytes": b"secret"},
]  # fmt: skip


def stored(value: Any) -> bytes:
    return expand_row(SERIALIZER.dumps_typed(value)[1])


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_texts_are_rewritten_everywhere_nothing_else_changes(value: Any) -> None:
    data = stored(value)
    assert rewrite_texts(data, lambda text: text) == data == pack_row(unpack_row(data))
    changed = rewrite_texts(data, lambda text: text.replace("secret", "[mark]"))
    again = SERIALIZER.loads_typed(("msgpack", changed))
    assert type(again) is type(value)
    content = str(again).replace("secret.txt", "").replace("b'secret'", "")
    assert "[mark]" in content and "secret" not in content


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x92\x01", b"\x91" * 5000, b"\xd4\x80\x00"])
def test_what_is_no_row_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="damaged"):
        unpack_row(data)


def test_objects_stay_packed() -> None:
    (message,) = unpack_row(stored([HumanMessage("x")]))
    assert isinstance(message, PackedObject) and b"HumanMessage" in message.payload
    with pytest.raises(TypeError):
        pack_row({"x": object()})


@given(st.binary(max_size=60))
@example(b"\xd4\x80\x00")
def test_any_bytes_are_refused_or_read_as_data(data: bytes) -> None:
    try:
        value = unpack_row(data)
    except UsageError:
        return
    pack_row(value)
