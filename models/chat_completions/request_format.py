"""JSON of chat-completions requests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from ..providers import Provider
from ..resolver import ResolvedModel
from ..text_cleanup import repair_text

ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def build_options(resolved: ResolvedModel, *, tools: bool, tool_choice: str = "") -> dict[str, Any]:
    """Build the fields of a request other than tools and messages."""
    dialect = resolved.provider
    fields: dict[str, Any] = {"model": resolved.model, "stream": True}
    if dialect.stream_usage:
        fields["stream_options"] = {"include_usage": True}
    if resolved.temperature is not None:
        fields["temperature"] = resolved.temperature
    fields[dialect.max_tokens_field] = resolved.max_tokens
    if tools:
        fields |= _build_tool_options(resolved, tool_choice)
    return fields


def build_body(fields: Mapping[str, Any], tools: bytes, messages: Iterable[bytes]) -> bytes:
    """Join the parts of a request; `tools` is a JSON list or empty."""
    # Messages come last: a request repeats the one before it byte for byte up to its new messages,
    # which is what providers cache.
    offered = b',"tools":' + tools if tools else b""
    return b"".join(
        (encode_json(fields)[:-1], offered, b',"messages":[', b",".join(messages), b"]}")
    )


def encode_message(message: BaseMessage, dialect: Provider) -> bytes:
    """Encode one message of a request."""
    if isinstance(message, AIMessage):
        return encode_json(_convert_assistant(message, dialect))
    role = ROLES.get(message.type) or str(getattr(message, "role", "user"))
    if isinstance(message, ToolMessage):
        text = _join_text(_convert_content(message.content))
        return encode_json({"role": role, "tool_call_id": message.tool_call_id, "content": text})
    parts = _convert_content(message.content)
    only_text = all(part["type"] == "text" for part in parts)
    return encode_json({"role": role, "content": _join_text(parts) if only_text else parts})


def encode_json(value: object) -> bytes:
    """Return compact JSON in UTF-8, without NUL and lone surrogates, which servers reject."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = json.dumps(_without_nul(value), ensure_ascii=False, separators=(",", ":"))
    return repair_text(text).encode()


def _build_tool_options(resolved: ResolvedModel, tool_choice: str) -> dict[str, Any]:
    dialect = resolved.provider
    fields = dict(dialect.extra)
    usual = dialect.parallel_by_default
    if usual is not None and usual != resolved.parallel_tool_calls:
        fields["parallel_tool_calls"] = resolved.parallel_tool_calls
    if tool_choice and (dialect.tool_choice == "any" or tool_choice == dialect.tool_choice):
        fields["tool_choice"] = tool_choice
    return fields


def _convert_assistant(message: AIMessage, dialect: Provider) -> dict[str, Any]:
    """Convert an earlier answer; broken arguments of a call are replaced with empty ones.

    Servers reject a history with broken JSON in it, and the tool message after it has the error.
    """
    calls = [
        _build_call(call["id"], call["name"], encode_json(call["args"]).decode())
        for call in message.tool_calls
    ] + [_build_call(call["id"], call["name"], "{}") for call in message.invalid_tool_calls]
    text = str(message.text)
    thinking = message.additional_kwargs.get("reasoning_content", "")
    fields: dict[str, Any] = {"role": "assistant"}
    if thinking and dialect.reasoning_echo == "think_tags":
        text = f"<think>{thinking}</think>\n\n{text}"
    fields["content"] = text if text or not calls else None
    if thinking and dialect.reasoning_echo == "reasoning_content":
        fields["reasoning_content"] = thinking
    if calls:
        fields["tool_calls"] = calls
    return fields


def _build_call(identity: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {
        "id": identity or "",
        "type": "function",
        "function": {"name": name or "", "arguments": arguments},
    }


def _convert_content(content: str | Sequence[str | dict[Any, Any]]) -> list[dict[str, Any]]:
    """Return content as chat-completions parts; parts unknown to the protocol are dropped."""
    blocks = [content] if isinstance(content, str) else content
    parts = [_convert_block(block) for block in blocks]
    return [part for part in parts if part]


def _convert_block(block: str | dict[Any, Any]) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    fields = cast("dict[str, Any]", block)
    kind = fields.get("type")
    if kind == "text":
        return {"type": "text", "text": str(fields.get("text", ""))}
    if kind == "image":
        data = f"data:{fields.get('mime_type')};base64,{fields.get('base64')}"
        return {"type": "image_url", "image_url": {"url": fields.get("url") or data}}
    return fields if kind in ("image_url", "input_audio", "file") else {}


def _join_text(parts: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the parts; other parts are replaced with their names."""
    return "\n".join(
        part["text"] if part["type"] == "text" else f"[{part['type'].removesuffix('_url')}]"
        for part in parts
    )


def _without_nul(value: object) -> object:
    if isinstance(value, str):
        return repair_text(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {repair_text(name): _without_nul(each) for name, each in fields.items()}
    if isinstance(value, list):
        return [_without_nul(each) for each in cast("list[object]", value)]
    return value


# Messages cached besides those of the latest request, for roles that alternate
FORGET_ABOVE = 1000


class RequestWriter:
    """Caches encoded messages, by object: a message is never changed in place."""

    def __init__(self, resolved: ResolvedModel) -> None:
        self._resolved = resolved
        self._messages: dict[int, tuple[BaseMessage, bytes]] = {}
        self._tools: dict[int, tuple[object, bytes]] = {}

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """Return the tools as a JSON list, in the given order."""
        for tool in tools:
            if id(tool) not in self._tools:
                self._tools[id(tool)] = (tool, encode_json(convert_to_openai_tool(tool)))
        return b"[" + b",".join(self._tools[id(tool)][1] for tool in tools) + b"]"

    def build_request(
        self,
        messages: Sequence[BaseMessage],
        tools: bytes,
        *,
        tool_choice: str = "",
        stop: Sequence[str] | None = None,
    ) -> bytes:
        """Return the whole body of a request."""
        fields = build_options(self._resolved, tools=bool(tools), tool_choice=tool_choice)
        if stop:
            fields["stop"] = list(stop)
        return build_body(fields, tools, self._encode_messages(messages))

    def _encode_messages(self, messages: Sequence[BaseMessage]) -> list[bytes]:
        known, asked = self._messages, {id(message): message for message in messages}
        for key, message in asked.items():
            if key not in known:
                known[key] = (message, encode_message(message, self._resolved.provider))
        if len(known) > len(asked) + FORGET_ABOVE:
            self._messages = {key: known[key] for key in asked}
        return [known[id(message)][1] for message in messages]
