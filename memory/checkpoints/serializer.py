"""Serializer that keeps checkpoints data only: a forged database row builds and runs nothing.

LangGraph's serializer imports and calls whatever a row names; its strict mode still returns a
rejected value as plain data, which would go unnoticed. Here a row is checked as a whole before
anything in it is built. The same check runs when a row is written, so a value that could not be
read again fails in the step that made it.
"""

from collections.abc import Callable, Collection
from typing import Any, cast

import langchain_core.messages as messages
import ormsgpack
from langgraph.checkpoint.serde.jsonplus import (
    EXT_CONSTRUCTOR_KW_ARGS,
    EXT_CONSTRUCTOR_POS_ARGS,
    EXT_CONSTRUCTOR_SINGLE_ARG,
    EXT_DELTA_SNAPSHOT,
    EXT_PYDANTIC_V2,
    JsonPlusSerializer,
)
from langgraph.types import Command, Interrupt, Overwrite, Send, TimeoutPolicy

from ...config.errors import MaxAgentError
from ...config.text import text
from .row_compression import compress_row, expand_row
from .stored_messages import UnusualRowError, read_messages

# What LangGraph itself stores besides plain data, and the messages; state holds nothing else
ALLOWED = {
    (kind.__module__, kind.__name__)
    for kind in (
        messages.AIMessage,
        messages.AIMessageChunk,
        messages.HumanMessage,
        messages.RemoveMessage,
        messages.SystemMessage,
        messages.ToolMessage,
        Command,
        Interrupt,
        Overwrite,
        Send,
        TimeoutPolicy,
    )
}


_PLAIN = {"null", "bytes", "bytearray"}


_BUILDERS = {
    EXT_CONSTRUCTOR_SINGLE_ARG,
    EXT_CONSTRUCTOR_POS_ARGS,
    EXT_CONSTRUCTOR_KW_ARGS,
    EXT_PYDANTIC_V2,
}


class StrictSerializer(JsonPlusSerializer):
    """Writes and reads plain data, messages and LangGraph's own types; rejects the rest."""

    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=None)

    def with_msgpack_allowlist(self, extra_allowlist: object) -> "StrictSerializer":
        """Return this serializer unchanged: types declared in a graph's state are not allowed."""
        return self

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialize a value; raises MaxAgentError if it could not be read again."""
        kind, data = super().dumps_typed(obj)
        _check_types(kind, data, "a step returned", "return plain data or messages")
        return kind, compress_row(data) if kind == "msgpack" else data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Deserialize a value; raises MaxAgentError for a type that MaxAgent never stores."""
        kind, payload = data
        if kind == "msgpack":
            payload = _try_expand(payload)
            try:
                return read_messages(payload)
            except UnusualRowError:
                pass  # checked before it is read
        _check_types(kind, payload, "the thread's data holds", "another program has written to it")
        return super().loads_typed((kind, payload))


def _try_expand(stored: bytes) -> bytes:
    try:
        return expand_row(stored)
    except ValueError:
        return stored  # the check reports that this is not msgpack either


def _check_types(kind: str, data: bytes, where: str, remedy: str) -> None:
    foreign = find_foreign_type(data) if kind == "msgpack" else None if kind in _PLAIN else kind
    if foreign:
        raise MaxAgentError(
            text("{place} a `{type}`, which cannot be kept", place=where, type=foreign),
            hint=remedy,
        )


def find_foreign_type(data: bytes, allowed: Collection[tuple[str, str]] = ALLOWED) -> str | None:
    """Return the first type in a msgpack row that is not allowed, without building anything."""
    foreign_types: list[str] = []

    def collect_foreign(code: int, payload: bytes) -> None:
        if code == EXT_DELTA_SNAPSHOT:
            _unpack_row(payload, collect_foreign)
        elif code in _BUILDERS:
            module, name, *_ = cast("list[Any]", _unpack_row(payload, collect_foreign))
            if (module, name) not in allowed:
                foreign_types.append(f"{module}.{name}")
        else:
            foreign_types.append(text("msgpack extension {code}", code=code))

    try:
        _unpack_row(data, collect_foreign)
    except ValueError:
        foreign_types.append("damaged row")
    return foreign_types[0] if foreign_types else None


def _unpack_row(data: bytes, look: Callable[[int, bytes], None]) -> Any:
    return ormsgpack.unpackb(data, ext_hook=look, option=ormsgpack.OPT_NON_STR_KEYS)
