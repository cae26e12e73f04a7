"""Messages of stored rows, built without validation: they were valid when they were stored.

Validation is most of what it costs to read a long thread. Whatever is not stored exactly as a
valid message of ours is left to LangGraph, which validates it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import ormsgpack
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2

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


_Kind = tuple[type[BaseMessage], str, tuple[str, ...], Callable[[Fields], bool]]
"""A message's class, its `type`, its fields in order, and the check of those of its own."""


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
