"""The dialect of chat completions, for every compatible endpoint."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ..http.dialect import RequestOptions
from ..http.json_encoding import MessageCache, ToolCache, encode_json
from ..replay import REASONING_DETAILS, replay_reasoning
from ..resolver import ResolvedModel
from ..thinking import build_thinking_fields, takes_temperature
from ..tool_arguments import make_valid_name
from .answer_parser import ChatAnswerParser
from .tool_call_assembler import CALL_EXTRAS

ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


class ChatCompletionsDialect:
    """Chat completions at one endpoint."""

    path = "/chat/completions"

    def __init__(self, resolved: ResolvedModel) -> None:
        self._resolved = resolved
        self._messages = MessageCache(lambda message: encode_message(message, resolved))
        self._tools = ToolCache(lambda schema: schema)

    def build_headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        key = self._resolved.api_key
        return {"Authorization": f"Bearer {key}"} if key else {}

    def encode_tools(self, tools: Sequence[Any]) -> bytes:
        """Return the tools as a JSON list, in the given order."""
        return self._tools.encode_tools(tools)

    def build_request(
        self,
        messages: Sequence[BaseMessage],
        tools: bytes,
        options: RequestOptions,
        *,
        tool_choice: str = "",
        stop: Sequence[str] | None = None,
    ) -> bytes:
        """Return the whole body of a request."""
        fields = build_options(self._resolved, options, tools=bool(tools), tool_choice=tool_choice)
        if stop and "stop" not in options.refused:
            fields["stop"] = list(stop)
        return build_body(fields, tools, self._messages.encode_messages(messages))

    def open_parser(self) -> ChatAnswerParser:
        """Return the parser for one answer."""
        return ChatAnswerParser(self._resolved.target, self._resolved.provider.name)


def build_options(
    resolved: ResolvedModel,
    options: RequestOptions,
    *,
    tools: bool,
    tool_choice: str = "",
) -> dict[str, Any]:
    """Build the fields of a request other than tools and messages."""
    provider = resolved.provider
    fields: dict[str, Any] = {"model": resolved.model, "stream": True}
    if provider.stream_usage:
        fields["stream_options"] = {"include_usage": True}
    if resolved.temperature is not None and takes_temperature(resolved, options):
        fields["temperature"] = resolved.temperature
    fields[provider.max_tokens_field] = options.limit_tokens(resolved.max_tokens)
    fields |= build_thinking_fields(resolved, options)
    if tools:
        fields |= _build_tool_options(resolved, tool_choice)
    return options.remove_refused(fields)


def build_body(fields: Mapping[str, Any], tools: bytes, messages: Iterable[bytes]) -> bytes:
    """Join the parts of a request; `tools` is a JSON list or empty."""
    # Messages come last: a request repeats the one before it byte for byte up to its new messages,
    # which is what providers cache.
    tools_field = b',"tools":' + tools if tools else b""
    return b"".join(
        (encode_json(fields)[:-1], tools_field, b',"messages":[', b",".join(messages), b"]}")
    )


def encode_message(message: BaseMessage, target: ResolvedModel) -> bytes:
    """Encode one message of a request."""
    if isinstance(message, AIMessage):
        return encode_json(_convert_assistant(message, target))
    role = ROLES.get(message.type) or str(getattr(message, "role", "user"))
    if isinstance(message, ToolMessage):
        text = _join_text(_convert_content(message.content))
        return encode_json({"role": role, "tool_call_id": message.tool_call_id, "content": text})
    parts = _convert_content(message.content)
    only_text = all(part["type"] == "text" for part in parts)
    return encode_json({"role": role, "content": _join_text(parts) if only_text else parts})


def _build_tool_options(resolved: ResolvedModel, tool_choice: str) -> dict[str, Any]:
    provider = resolved.provider
    fields = dict(provider.tool_fields)
    usual = provider.parallel_by_default
    if usual is not None and usual != resolved.parallel_tool_calls:
        fields["parallel_tool_calls"] = resolved.parallel_tool_calls
    if tool_choice and provider.accepts_choice(tool_choice):
        fields["tool_choice"] = tool_choice
    return fields


def _convert_assistant(message: AIMessage, target: ResolvedModel) -> dict[str, Any]:
    """Convert an earlier answer; broken arguments of a call are replaced with empty ones.

    Servers reject a history with broken JSON in it, and the tool message after it has the error.
    """
    calls: list[dict[str, Any]] = [
        _build_call(call["id"], call["name"], encode_json(call["args"]).decode())
        for call in message.tool_calls
    ] + [_build_call(call["id"], call["name"], "{}") for call in message.invalid_tool_calls]
    text = str(message.text)
    reasoning, echo = replay_reasoning(message, target), target.provider.reasoning_echo
    fields: dict[str, Any] = {"role": "assistant"}
    if reasoning.text and echo and echo.field == "think_tags":
        text = f"<think>{reasoning.text}</think>\n\n{text}"
    fields["content"] = text if text or not calls else None
    if reasoning.text is not None and echo and echo.field == "reasoning_content":
        fields["reasoning_content"] = reasoning.text
    fields |= reasoning.fields
    if reasoning.parts:
        _restore_signatures(reasoning.parts, fields, calls)
    elif calls:
        calls[0] |= target.provider.unsigned_call
    if calls:
        fields["tool_calls"] = calls
    return fields


def _restore_signatures(
    parts: Sequence[Mapping[str, Any]], fields: dict[str, Any], calls: list[dict[str, Any]]
) -> None:
    """Return to each call what came with it, and to thinking that names a call the call's ID."""
    own_ids: dict[str, str] = {}
    for part in parts:
        if part["type"] == "tool_call" and part["index"] < len(calls):
            call = calls[int(part["index"])]
            call |= {name: part[name] for name in CALL_EXTRAS if name in part}
            own_ids[part.get("id", "")] = call["id"]
    if details := fields.get(REASONING_DETAILS):
        fields[REASONING_DETAILS] = [
            {**entry, "id": own_ids[entry["id"]]} if entry.get("id") in own_ids else entry
            for entry in details
        ]


def _build_call(identity: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {
        "id": identity or "",
        "type": "function",
        "function": {"name": make_valid_name(name), "arguments": arguments},
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
