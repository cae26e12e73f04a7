"""Answers of servers that are nearly right: what can be used is read, and the rest is named."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, cast

from mcp import types as protocol
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter, methods
from pydantic import ValidationError

from ....config.text import text

# The strictest version of the protocol for what a tool says of itself
_VERSION = "2025-11-25"
OLDEST_VERSION = "2024-11-05"
_OPTIONAL = ("title", "description", "annotations", "outputSchema", "icons", "_meta", "execution")
# Characters of a block that nobody knows
MAX_UNKNOWN = 2_000
# A result that is no object, or a batch
_ODD_RESULT = re.compile(rb'"result"\s*:\s*[^\s{]|\A\s*\[')
_JSON = Mapping[str, Any]


class AnswerRepair:
    """Repairs the messages of one server, and knows which of its tools cannot be read."""

    def __init__(self) -> None:
        self.left_out: dict[str, str] = {}
        """The reason by the name of the tool."""

    def repair_message(self, item: Any) -> Any:
        """Return the message, with a result that `mcp` can read if it has one."""
        if not isinstance(item, SessionMessage) or not isinstance(item.message, JSONRPCResponse):
            return item
        result: dict[str, Any] = {**item.message.result}
        if "serverInfo" in result or "protocolVersion" in result:
            result = _repair_handshake(result)
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


class RepairedReader:
    """The messages of a transport, each repaired; `mcp` takes it as reader."""

    def __init__(self, stream: Any, repair: AnswerRepair) -> None:
        self._stream, self._repair = stream, repair

    async def receive(self) -> Any:
        """Return the next message."""
        return self._repair.repair_message(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the transport's stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return self._repair.repair_message(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)


def repair_error(body: bytes, request_id: int | str | None = None) -> bytes:
    """Return an answer by HTTP, with an error that `mcp` can read if it has one."""
    if b'"error"' not in body and b'"jsonrpc"' in body and not _ODD_RESULT.search(body):
        return body
    try:
        message = jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValueError:
        problem = read_unparsed_answer(body, request_id)
        return problem.model_dump_json(by_alias=True).encode() if problem else body
    if request_id is None or not isinstance(message, JSONRPCError) or message.id is not None:
        return body
    return message.model_copy(update={"id": request_id}).model_dump_json(by_alias=True).encode()


def read_unparsed_answer(
    line: bytes, request_id: int | str | None = None
) -> JSONRPCError | JSONRPCResponse | None:
    """Return an answer with an ID that is no message of the protocol; else None.

    A result that can be used is one, the rest is an error: whoever waits for it would wait until
    the time is over. `request_id` is the ID of the only request that it can answer, if the answer
    has none.
    """
    if line.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        answer: Any = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if isinstance(answer, list) and len(cast("list[Any]", answer)) == 1:  # a batch
        answer = cast("list[Any]", answer)[0]
    if not isinstance(answer, dict) or "method" in answer:
        return None
    fields = cast("dict[str, Any]", answer)
    identity, error = fields.get("id"), fields.get("error")
    if identity is None:
        identity = request_id
    if not isinstance(identity, int | str) or not {"result", "error"} & fields.keys():
        return None
    if error is None and fields.get("result"):
        result = _wrap_result(fields["result"])
        return JSONRPCResponse(jsonrpc="2.0", id=identity, result=result)
    message = text("its answer cannot be read")
    if isinstance(error, dict):
        stated = cast("dict[str, Any]", error)
        message = str(stated.get("message") or stated.get("code") or message)
    elif isinstance(error, str):
        message = error
    problem = protocol.ErrorData(code=protocol.INTERNAL_ERROR, message=message)
    return JSONRPCError(jsonrpc="2.0", id=identity, error=problem)


def _wrap_result(result: Any) -> dict[str, Any]:
    """Return a result that is no object as one: tools, or the content of a call."""
    if isinstance(result, dict):
        return cast("dict[str, Any]", result)
    items = cast("list[Any]", result) if isinstance(result, list) else []
    if items and all(isinstance(each, dict) and "inputSchema" in each for each in items):
        return {"tools": items}
    return {"content": result}


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
    if not isinstance(result.get("protocolVersion"), str):
        right["protocolVersion"] = OLDEST_VERSION
    return right


def _to_fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _is_tool(tool: _JSON) -> bool:
    try:
        methods.validate_server_result("tools/list", _VERSION, {"tools": [dict(tool)]})
        protocol.Tool.model_validate(tool, by_name=False)
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
    right: dict[str, Any] = {**result, "content": [_repair_block(each) for each in blocks if each]}
    if structured is not None and not isinstance(structured, dict):
        del right["structuredContent"]
        right["content"].append(_build_text(json.dumps(structured, ensure_ascii=False)))
    elif structured is None:
        right.pop("structuredContent", None)
    if "isError" in result and not isinstance(result["isError"], bool):
        right["isError"] = str(result["isError"]).lower() in ("true", "1")
    return right


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
    try:
        methods.validate_server_result("tools/call", _VERSION, {"content": [dict(block)]})
    except ValidationError:
        return False
    return True


def _build_text(words: str) -> _JSON:
    return {"type": "text", "text": words}
