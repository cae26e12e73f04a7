"""JSON of requests, as bytes; each message and each tool is encoded once (pure)."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

from langchain_core.messages import BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from ..text_cleanup import repair_text

Encoded = TypeVar("Encoded")
# Messages cached besides those of the latest request, for roles that alternate
FORGET_ABOVE = 1000


def encode_json(value: object) -> bytes:
    """Return compact JSON in UTF-8, without NUL and lone surrogates, which servers reject."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = json.dumps(_without_nul(value), ensure_ascii=False, separators=(",", ":"))
    return repair_text(text).encode()


class MessageCache(Generic[Encoded]):
    """Caches encoded messages, by object: a message is never changed in place."""

    def __init__(self, encode: Callable[[BaseMessage], Encoded]) -> None:
        self._encode = encode
        self._messages: dict[int, tuple[BaseMessage, Encoded]] = {}

    def encode_messages(self, messages: Sequence[BaseMessage]) -> list[Encoded]:
        """Return the encoded messages, in the given order."""
        cache, asked = self._messages, {id(message): message for message in messages}
        for key, message in asked.items():
            if key not in cache:
                cache[key] = (message, self._encode(message))
        if len(cache) > len(asked) + FORGET_ABOVE:
            self._messages = {key: cache[key] for key in asked}
        return [cache[id(message)][1] for message in messages]


class ToolCache:
    """Caches encoded tools, by object."""

    def __init__(self, convert: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._convert = convert
        self._tools: dict[int, tuple[object, bytes]] = {}

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """Return the tools as a JSON list, in the given order."""
        for tool in tools:
            if id(tool) not in self._tools:
                schema = self._convert(convert_to_openai_tool(tool))
                self._tools[id(tool)] = (tool, encode_json(schema))
        return b"[" + b",".join(self._tools[id(tool)][1] for tool in tools) + b"]"


def _without_nul(value: object) -> object:
    if isinstance(value, str):
        return repair_text(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {repair_text(name): _without_nul(each) for name, each in fields.items()}
    if isinstance(value, list):
        return [_without_nul(each) for each in cast("list[object]", value)]
    return value
