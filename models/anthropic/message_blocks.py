"""Encoder of one message: its role and its content blocks as JSON (pure)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ..http.json_encoding import encode_json
from ..replay import Reasoning, replay_reasoning
from ..resolver import ResolvedModel
from ..tool_arguments import make_valid_name

Role = Literal["system", "user", "assistant"]
ROLES: dict[str, Role] = {"system": "system", "ai": "assistant"}
THINKING = ("thinking", "redacted_thinking")
DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One content block."""

    kind: Literal["content", "thinking", "call", "result"]
    data: bytes
    call_id: str = ""
    """Of a call, and of the result that answers it."""


@dataclass(frozen=True)
class EncodedMessage:
    """One message of the history."""

    role: Role
    blocks: tuple[Block, ...]
    without_thinking: tuple[Block, ...]


def encode_message(message: BaseMessage, target: ResolvedModel) -> EncodedMessage:
    """Encode one message; what the protocol does not know, and empty text, is left out."""
    if isinstance(message, AIMessage):
        blocks = tuple(_encode_answer(message, target))
    elif isinstance(message, ToolMessage):
        blocks = (_encode_result(message),)
    else:
        parts = _convert_content(message.content)
        blocks = tuple(Block("content", encode_json(part)) for part in parts)
    without_thinking = tuple(block for block in blocks if block.kind != "thinking")
    return EncodedMessage(ROLES.get(message.type, "user"), blocks, without_thinking)


def _encode_answer(answer: AIMessage, target: ResolvedModel) -> Iterator[Block]:
    """Yield the blocks of an earlier answer, in the order in which they came."""
    calls = [_encode_call(call["id"], call["name"], call["args"]) for call in answer.tool_calls]
    # Servers reject broken arguments; the result of the call has the error
    calls += [_encode_call(call["id"], call["name"], {}) for call in answer.invalid_tool_calls]
    yield from _order_blocks(replay_reasoning(answer, target), str(answer.text), calls)


def _order_blocks(reasoning: Reasoning, text: str, calls: list[Block]) -> Iterator[Block]:
    if reasoning.text is not None:
        yield Block("thinking", encode_json({"type": "thinking", "thinking": reasoning.text}))
    position, left = 0, iter(calls)
    texts = sum(part["type"] == "text" for part in reasoning.parts)
    for part in reasoning.parts:
        if part["type"] in THINKING:
            yield Block("thinking", encode_json(part))
        elif part["type"] == "text":
            texts -= 1
            end = position + int(part.get("length", 0)) if texts else len(text)
            yield from _encode_text(text[position:end])
            position = end
        elif part["type"] == "tool_call":
            yield from (call for _, call in zip("1", left, strict=False))
    yield from _encode_text(text[position:])
    yield from left


def _encode_text(text: str) -> Iterator[Block]:
    if text.strip():
        yield Block("content", encode_json({"type": "text", "text": text}))


def _encode_call(identity: str | None, name: str | None, arguments: dict[str, Any]) -> Block:
    call_id = _clean_id(identity)
    name = make_valid_name(name)
    fields = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
    return Block("call", encode_json(fields), call_id)


def _encode_result(message: ToolMessage) -> Block:
    call_id = _clean_id(message.tool_call_id)
    fields: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id}
    parts, failed = _convert_content(message.content), message.status == "error"
    if parts or failed:
        fields["content"] = parts or "error"
    if failed:
        fields["is_error"] = True
    return Block("result", encode_json(fields), call_id)


def _clean_id(identity: str | None) -> str:
    """Return an ID in the only characters that are accepted; older threads have others."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", identity or "") or "call"


def _convert_content(content: str | Sequence[str | dict[Any, Any]]) -> list[dict[str, Any]]:
    blocks = [content] if isinstance(content, str) else content
    parts = [_convert_block(block) for block in blocks]
    return [part for part in parts if part]


def _convert_block(block: str | dict[Any, Any]) -> dict[str, Any]:
    fields = cast(
        "dict[str, Any]", {"type": "text", "text": block} if isinstance(block, str) else block
    )
    kind = fields.get("type")
    if kind == "text":
        text = str(fields.get("text", ""))
        return {"type": "text", "text": text} if text.strip() else {}
    if kind == "image" and fields.get("base64"):
        return _build_image(f"data:{fields.get('mime_type')};base64,{fields['base64']}")
    if kind == "image":
        return _build_image(str(fields.get("url", "")))
    if kind == "image_url":
        return _build_image(str(fields["image_url"]["url"]))
    return {}


def _build_image(url: str) -> dict[str, Any]:
    if data := DATA_URL.fullmatch(url):
        source = {"type": "base64", "media_type": data[1], "data": data[2]}
        return {"type": "image", "source": source}
    return {"type": "image", "source": {"type": "url", "url": url}} if url else {}
