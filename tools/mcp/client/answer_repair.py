"""Answers of servers that are nearly right: what can be used is read, and the rest is named."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from mcp import types as protocol
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse, methods
from pydantic import ValidationError

from ....config.text import text

# The strictest version of the protocol for what a tool says of itself
_VERSION = "2025-11-25"
OLDEST_VERSION = "2024-11-05"
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_OPTIONAL = ("title", "description", "annotations", "outputSchema", "icons", "_meta", "execution")
# What a prompt, a resource or a template cannot be without
_IDENTITY = ("name", "uri", "uriTemplate")
# Blocks of an answer; of more, the texts are one
MAX_BLOCKS = 2_000
# Characters of a block that nobody knows
MAX_UNKNOWN = 2_000
# What lists have besides tools: the key of each, by the method that asks for it
_LISTS = {
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
_JSON = Mapping[str, Any]


class AnswerRepair:
    """Repairs the messages of one server, and knows what of its lists cannot be read."""

    def __init__(self) -> None:
        self.left_out: dict[str, str] = {}
        """The reason by the name of the tool, prompt or resource."""

    def repair_message(self, item: SessionMessage, method: str) -> SessionMessage:
        """Return the message, with a result that `mcp` can read if it answers this method."""
        if not isinstance(item.message, JSONRPCResponse):
            return item
        result: dict[str, Any] = {**item.message.result}
        if method == "initialize":
            result = _repair_handshake(result)
        if method == "tools/list" and "tools" not in result:
            result["tools"] = []
            self.left_out["tools"] = text("its answer cannot be read")
        if key := _LISTS.get(method):
            result[key] = self._read_list(method, key, result.get(key))
        if not isinstance(result.get("nextCursor", ""), str):
            result["nextCursor"] = str(result["nextCursor"] or "") or None
        if not isinstance(result.get("_meta", {}), dict):
            del result["_meta"]
        if "tools" in result and not isinstance(result["tools"], list):
            result["tools"] = list(_to_fields(result["tools"]).values())
        if "toolResult" in result and "content" not in result:  # the protocol of 2024-10
            result["content"] = result.pop("toolResult")
        if isinstance(result.get("tools"), list):
            result["tools"] = [
                tool
                for each in cast("list[Any]", result["tools"])
                if (tool := self._read_tool(each))
            ]
        if "content" in result or "structuredContent" in result:
            result = _repair_call_result(result)
        if result == item.message.result:
            return item
        return replace(item, message=item.message.model_copy(update={"result": result}))

    def _read_list(self, method: str, key: str, items: Any) -> list[Any]:
        """Return those of a list that can be read."""
        right: list[Any] = []
        for item in cast("list[Any]", items) if isinstance(items, list) else []:
            fields = _to_fields(item)
            # the rest may be wrong
            identity = {name: fields[name] for name in _IDENTITY if name in fields}
            identity.setdefault("name", fields.get("uri") or fields.get("uriTemplate"))
            usable = next(
                (each for each in (fields, identity) if _is_valid(method, {key: [each]})), None
            )
            if usable is None:
                self.left_out[f"{key}: {identity['name']}"] = text("it cannot be read")
            else:
                right.append(usable)
        return right

    def _read_tool(self, tool: Any) -> _JSON | None:
        """Return a tool with what of it is right; None if it cannot be called."""
        fields = cast("dict[str, Any]", tool) if isinstance(tool, dict) else {}
        name: object = fields.get("name")
        if not isinstance(name, str) or not name.strip():
            self.left_out[str(name)] = text("it has no name")
            return None
        if _is_tool(fields):
            return fields
        schema = _repair_schema(fields.get("inputSchema"))
        if schema is None or not _is_tool({"name": name, "inputSchema": schema}):
            self.left_out[name] = text("its arguments are no object")
            return None
        right: dict[str, Any] = {"name": name, "inputSchema": schema}
        for field in _OPTIONAL:
            if field in fields and _is_tool({**right, field: fields[field]}):
                right[field] = fields[field]
        return right


def _repair_handshake(result: _JSON) -> dict[str, Any]:
    """Return a first answer with what `mcp` needs of it, without what it cannot read."""
    about, offered = _to_fields(result.get("serverInfo")), _to_fields(result.get("capabilities"))
    identity = {key: str(about.get(key) or "") for key in ("name", "version")}
    capabilities = {
        name: _to_fields(value) for name, value in offered.items() if value not in (None, False)
    }
    right = {**result, "serverInfo": {**about, **identity}, "capabilities": capabilities}
    if not isinstance(result.get("instructions", ""), str):
        del right["instructions"]
    version = result.get("protocolVersion")
    if not isinstance(version, str) or (_DATE.fullmatch(version) and version < OLDEST_VERSION):
        right["protocolVersion"] = OLDEST_VERSION
    return right


def _to_fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _is_tool(tool: _JSON) -> bool:
    if not _is_valid("tools/list", {"tools": [dict(tool)]}):
        return False
    try:
        protocol.Tool.model_validate(tool, by_name=False)
    except ValidationError:
        return False
    return True


def _is_valid(method: str, result: dict[str, Any]) -> bool:
    try:
        methods.validate_server_result(method, _VERSION, result)
    except ValidationError:
        return False
    return True


def _repair_schema(schema: Any) -> dict[str, Any] | None:
    """Return a schema of arguments; None if it is about something else than an object."""
    if not isinstance(schema, dict):
        return {"type": "object"} if schema is None or isinstance(schema, list | bool) else None
    fields = cast("dict[str, Any]", schema)
    kind = fields.get("type")
    names_object = isinstance(kind, list) and "object" in kind
    if kind is not None and kind != "object" and not names_object:
        return None
    right = {**fields, "type": "object"}
    if not isinstance(right.get("properties", {}), dict):
        del right["properties"]
    if not isinstance(right.get("required", []), list):
        del right["required"]
    return right


def _repair_call_result(result: _JSON) -> dict[str, Any]:
    content, structured = result.get("content"), result.get("structuredContent")
    blocks = cast("list[Any]", content) if isinstance(content, list) else [content]
    if len(blocks) > MAX_BLOCKS:
        blocks = [*blocks[:MAX_BLOCKS], _join_blocks(blocks[MAX_BLOCKS:])]
    right: dict[str, Any] = {**result, "content": blocks}
    if not isinstance(content, list) or not _is_valid("tools/call", {"content": blocks}):
        right["content"] = [_repair_block(each) for each in blocks if each]
    if structured is not None and not isinstance(structured, dict):
        del right["structuredContent"]
        right["content"].append(_build_text(json.dumps(structured, ensure_ascii=False)))
    elif structured is None:
        right.pop("structuredContent", None)
    if "isError" in result and not isinstance(result["isError"], bool):
        right["isError"] = str(result["isError"]).lower() in ("true", "1")
    return right


def _join_blocks(blocks: list[Any]) -> _JSON:
    """Return what the texts of many blocks say."""
    texts = (_to_fields(block).get("text") for block in blocks)
    return _build_text("\n".join(each for each in texts if isinstance(each, str)))


def _repair_block(block: Any) -> _JSON:
    if isinstance(block, str):
        return _build_text(block)
    if not isinstance(block, dict):
        return _build_text(json.dumps(block, ensure_ascii=False))
    fields = cast("dict[str, Any]", block)
    if _is_block(fields):
        return fields
    kind, words = fields.get("type"), fields.get("text")
    if kind == "text" or (kind is None and "text" in fields):
        return _build_text(words if isinstance(words, str) else json.dumps(words) if words else "")
    for named in ("image", "audio"):
        sound = {"type": named, "data": fields.get("data"), "mimeType": f"{named}/unknown"}
        if kind == named and _is_block(sound):
            return sound
    excerpt = json.dumps(fields, ensure_ascii=False)[:MAX_UNKNOWN]
    return _build_text(f"[{kind or 'block'}: {excerpt}]")


def _is_block(block: _JSON) -> bool:
    return _is_valid("tools/call", {"content": [dict(block)]})


def _build_text(words: str) -> _JSON:
    return {"type": "text", "text": words}
