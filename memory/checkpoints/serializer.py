"""Serializer that keeps checkpoints data only: a forged database row builds and runs nothing.

LangGraph's serializer imports and calls whatever a row names; its strict mode still returns a
rejected value as plain data, which would go unnoticed. Here a row is checked as a whole before
anything in it is built. The same check runs when a row is written, so a value that could not be
read again fails in the step that made it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

import langchain_core.messages as messages
import ormsgpack
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
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
_BASE = ("content", "additional_kwargs", "response_metadata", "type", "name", "id")
_CALL = ("name", "args", "id", "type")
_COUNTS = {"input_tokens", "output_tokens", "total_tokens"}
_DETAILS = {
    "input_token_details": {"audio", "cache_creation", "cache_read"},
    "output_token_details": {"audio", "reasoning"},
}
# Exact types: validation changes a value of a derived one
_TEXT, _TEXT_OR_NONE, _NUMBER = {str}, {str, type(None)}, {int}
_MAPPING, _LIST, _BLOCKS = {dict}, {list}, {str, dict}
_NONE = set[str]()
Fields = Mapping[str, Any]
_Kind = tuple[type[BaseMessage], str, tuple[str, ...], Callable[[Fields], bool]]
"""A message's class, its `type`, its fields in order, and the check of those of its own."""


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


class UnusualRowError(Exception):
    """The row holds more than plain data and plain messages."""


def read_messages(data: bytes) -> Any:
    """Return a row of plain data and messages; raises UnusualRowError for any other."""
    try:
        return ormsgpack.unpackb(data, ext_hook=_build, option=ormsgpack.OPT_NON_STR_KEYS)
    except ValueError:
        raise UnusualRowError from None


def _build(code: int, payload: bytes) -> BaseMessage:
    # an object within the message is an error here, as there is no hook for it
    parts: Any = ormsgpack.unpackb(payload, option=ormsgpack.OPT_NON_STR_KEYS)
    if code != EXT_PYDANTIC_V2 or type(parts) not in _LIST:
        raise ValueError
    module, name, fields, *_ = parts
    if type(module) is not str or type(name) is not str or (module, name) not in _KINDS:
        raise ValueError
    kind, label, names, are_own_valid = _KINDS[module, name]
    if type(fields) not in _MAPPING or tuple(fields) != names or fields["type"] != label:
        raise ValueError
    if not _are_base_fields(fields) or not are_own_valid(fields):
        raise ValueError
    message = kind.__new__(kind)
    object.__setattr__(message, "__dict__", fields)
    object.__setattr__(message, "__pydantic_fields_set__", {*names})
    object.__setattr__(message, "__pydantic_extra__", {})
    object.__setattr__(message, "__pydantic_private__", None)
    return message


def _are_base_fields(fields: Fields) -> bool:
    """Return whether validation would leave the fields of all messages as they are."""
    return (
        (type(fields["content"]) is str or _are_blocks(fields["content"]))
        and type(fields["additional_kwargs"]) in _MAPPING
        and type(fields["response_metadata"]) in _MAPPING
        and type(fields["name"]) in _TEXT_OR_NONE
        and type(fields["id"]) in _TEXT_OR_NONE
    )


def _are_blocks(content: Any) -> bool:
    return type(content) in _LIST and _BLOCKS.issuperset(map(type, content))


def _are_answer_fields(fields: Fields) -> bool:
    calls, usage = fields["tool_calls"], fields["usage_metadata"]
    return (
        type(calls) in _LIST
        and all(map(_is_call, calls))
        and fields["invalid_tool_calls"] == []
        and "tool_calls" not in fields["additional_kwargs"]  # else calls are made of these
        and (usage is None or _is_usage(usage))
    )


def _are_result_fields(fields: Fields) -> bool:
    return type(fields["tool_call_id"]) is str and fields["status"] in ("success", "error")


def _is_call(call: Any) -> bool:
    return (
        type(call) in _MAPPING
        and tuple(call) == _CALL
        and type(call["name"]) is str
        and type(call["args"]) in _MAPPING
        and _TEXT.issuperset(map(type, call["args"]))
        and type(call["id"]) in _TEXT_OR_NONE
        and call["type"] == "tool_call"
    )


def _is_usage(usage: Any) -> bool:
    if type(usage) not in _MAPPING or not usage.keys() >= _COUNTS:
        return False
    for name, count in usage.items():
        if type(count) is not int if name in _COUNTS else not _is_detail(name, count):
            return False
    return True


def _is_detail(name: str, counts: Any) -> bool:
    return (
        type(counts) in _MAPPING
        and _DETAILS.get(name, _NONE).issuperset(counts)
        and _NUMBER.issuperset(map(type, counts.values()))
    )


def _find_kinds() -> dict[tuple[str, str], _Kind]:
    """List the messages whose fields are those that are checked here."""
    answer = (*_BASE, "tool_calls", "invalid_tool_calls", "usage_metadata")
    result = (*_BASE, "tool_call_id", "artifact", "status")
    kinds: list[_Kind] = [
        (HumanMessage, "human", _BASE, lambda _: True),
        (AIMessage, "ai", answer, _are_answer_fields),
        (ToolMessage, "tool", result, _are_result_fields),
    ]
    return {
        (kind.__module__, kind.__name__): (kind, label, names, check)
        for kind, label, names, check in kinds
        if tuple(kind.model_fields) == names
    }


_KINDS = _find_kinds()
