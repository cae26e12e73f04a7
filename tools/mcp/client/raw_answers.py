"""Bytes of a server that are nearly a message of the protocol, and the answer in them."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from mcp import types as protocol
from mcp.types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

from ....config.text import text

BOM = b"\xef\xbb\xbf"
# A result that is no object or has no ID, a batch, or half a character: programs cut texts in one
_ODD = re.compile(rb'"result"\s*:\s*[^\s{]|"id"\s*:\s*null|\A\s*\[|\\u[dD][89a-fA-F]')
# What stands before and after a message, as in a log
_START = re.compile(r'\{\s*"(?:jsonrpc|id|result|error)"')
_IDENTITY = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*[,}]')
# Bytes at both ends of an answer in which its ID is looked for
_ENDS = 1_000
_Answer = JSONRPCError | JSONRPCResponse


def repair_body(body: bytes, request_id: int | str | None = None) -> bytes:
    """Return an answer by HTTP as one that `mcp` can read, if there is one in it."""
    body = body.removeprefix(BOM)
    if b'"error"' not in body and b'"jsonrpc"' in body and not _needs_repair(body):
        return body
    try:
        message = jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValueError:
        answer = read_unparsed_answer(body, request_id)
        return answer.model_dump_json(by_alias=True).encode() if answer else body
    if request_id is None or not isinstance(message, JSONRPCError) or message.id is not None:
        return body
    return message.model_copy(update={"id": request_id}).model_dump_json(by_alias=True).encode()


def read_unparsed_answer(line: bytes, request_id: int | str | None = None) -> _Answer | None:
    """Return an answer with an ID that is no message of the protocol; else None.

    A result that can be used is one, the rest is an error: whoever waits for it would wait until
    the time is over. `request_id` is the ID of the only request that it can answer, if the answer
    has none.
    """
    try:
        values = list(_iter_values(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):  # too deep, or a number that is too long
        return _read_identity(line)
    answers = (_read_value(value, request_id) for value in values)
    return next((answer for answer in answers if answer), None)


def _needs_repair(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return True
    return bool(_ODD.search(body))


def _iter_values(content: str) -> Iterator[Any]:
    """Yield the JSON values of a line, without what is printed between them."""
    decoder, at = json.JSONDecoder(), 0
    bare = content.lstrip("\ufeff \t\r\n")
    if bare[:1] == "[" and bare.rstrip()[-1:] == "]":  # a batch
        try:
            yield from cast("list[Any]", json.loads(_mend_characters(bare)))
            return
        except json.JSONDecodeError:
            pass
    while start := _START.search(content, at):
        try:
            value, at = decoder.raw_decode(content, start.start())
        except json.JSONDecodeError:
            at = start.end()
            continue
        yield json.loads(_mend_characters(json.dumps(value)))


def _mend_characters(content: str) -> str:
    """Return JSON with a sign instead of each half of a character."""
    value: Any = json.loads(content)
    plain = json.dumps(value, ensure_ascii=False)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_value(answer: Any, request_id: int | str | None) -> _Answer | None:
    if not isinstance(answer, dict) or "method" in answer:
        return None
    fields = cast("dict[str, Any]", answer)
    identity, error = fields.get("id"), fields.get("error")
    if isinstance(identity, float) and identity.is_integer():
        identity = int(identity)
    if identity is None:
        identity = request_id
    if identity is None and "jsonrpc" in fields and isinstance(error, dict):
        return _build_error(None, cast("dict[str, Any]", error))
    if not isinstance(identity, int | str) or not {"result", "error"} & fields.keys():
        return None
    if error is None and fields.get("result"):
        result = _wrap_result(fields["result"])
        return JSONRPCResponse(jsonrpc="2.0", id=identity, result=result)
    stated: object = {"message": error} if isinstance(error, str) else error
    return _build_error(
        identity, cast("dict[str, Any]", stated) if isinstance(stated, dict) else {}
    )


def _read_identity(line: bytes) -> _Answer | None:
    """Return an error for an answer of which no more than its ID can be read."""
    identity = _IDENTITY.search(line[:_ENDS]) or _IDENTITY.search(line[-_ENDS:])
    if not identity or b'"method"' in line[:_ENDS]:
        return None
    return _build_error(int(identity[1]), {})


def _build_error(identity: int | str | None, stated: dict[str, Any]) -> JSONRPCError:
    message = str(stated.get("message") or stated.get("code") or text("its answer cannot be read"))
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
