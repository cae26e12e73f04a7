"""The frames of JSON-RPC 2.0, one message a line: read, parsed and written, without a loop."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, cast

# Bytes of one message; images come in it
MAX_FRAME = 64_000_000
CHUNK_SIZE = 1 << 16
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR = -32603

JsonObject = Mapping[str, Any]


class RpcError(Exception):
    """An error answer, ours or the client's."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def as_json(self) -> dict[str, Any]:
        """Return it as the `error` of an answer."""
        return {"code": self.code, "message": self.message} | (
            {"data": self.data} if self.data is not None else {}
        )


def read_frames(descriptor: int) -> Iterator[bytes]:
    """Yield each line; of one that is too long its beginning, which is no JSON."""
    parts, size = list[bytes](), 0
    while chunk := _read_chunk(descriptor):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            frame = b"".join([*parts, line])
            parts, size = [], 0
            if frame.strip():
                yield frame
        size += len(rest)
        if size <= MAX_FRAME + 1:
            parts.append(rest)


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, CHUNK_SIZE)
    except OSError:  # the client's end is gone
        return b""


def write_frame(descriptor: int, message: JsonObject) -> None:
    """Write one message; raises OSError when the other end is gone."""
    data = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def parse_frame(frame: bytes) -> dict[str, Any]:
    """Parse one message; raises RpcError for what is none."""
    if len(frame) > MAX_FRAME:
        raise RpcError(INVALID_REQUEST, f"the message is longer than {MAX_FRAME:,} bytes")
    try:
        message: object = json.loads(frame)
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"the message is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise RpcError(INVALID_REQUEST, "a message is one JSON object on one line")
    fields = cast("dict[str, Any]", message)
    request_id, params = fields.get("id"), fields.get("params")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | None):
        raise RpcError(INVALID_REQUEST, "`id` must be a text or a whole number")
    if not isinstance(fields.get("method", ""), str) or not isinstance(params, dict | None):
        raise RpcError(INVALID_REQUEST, "`method` must be a text, and `params` an object")
    return fields
