"""Server-sent events that are nearly right: each is read whole, and a bad one spoils no other."""

import json
import re
from collections.abc import AsyncGenerator, AsyncIterable, Sequence

from mcp.types import jsonrpc_message_adapter

from .raw_answers import BOM, repair_body

_LINE_END = re.compile(rb"\r\n|\n|\r")
# A line of a server's log has no reader here
_LOG = re.compile(
    rb'\s*\{(?:\s*"jsonrpc"\s*:\s*"2.0"\s*,)?\s*"method"\s*:\s*"notifications/message"'
)


async def repair_events(
    stream: AsyncIterable[bytes], request_id: int | str | None
) -> AsyncGenerator[bytes]:
    """Yield a stream event by event, each message repaired; the last needs no end.

    `request_id` is the ID of the request that the stream answers, if it is one.
    """
    lines, start, is_half = list[bytes](), list[bytes](), False
    async for piece in stream:
        if is_half and piece.startswith(b"\n"):  # the other half of the last line's end
            piece = piece[1:]
        is_half = piece.endswith(b"\r")
        *ended, end = _LINE_END.split(piece)
        if ended:
            ended[0] = b"".join([*start, ended[0]])
            start = []
        for line in ended:
            lines.append(line)
            if not line:
                yield _repair_event(lines, request_id)
                lines = []
        start.append(end)
    if any(lines := [*lines, b"".join(start)]):
        yield _repair_event(lines, request_id)


def _repair_event(lines: Sequence[bytes], request_id: int | str | None) -> bytes:
    """Return an event with a message that `mcp` can read, or without one."""
    lines = [line.removeprefix(BOM) for line in lines if line]
    data = [line.removeprefix(b"data:") for line in lines if line.startswith(b"data:")]
    other_lines = [line for line in lines if not line.startswith((b"data:", b"data"))]
    message = b"\n".join(line.removeprefix(b" ") for line in data)
    if _LOG.match(message):
        data = []
    elif b"{" in message:
        message = repair_body(message, request_id)
        if b'"jsonrpc"' in message:  # some name their events by the kind of the message
            other_lines = [line for line in other_lines if not line.startswith(b"event:")]
        if _is_wrong_notice(message):
            message, data = b"", []
    right_lines = (
        [*other_lines, *(b"data: " + line for line in message.split(b"\n"))]
        if data
        else other_lines
    )
    return b"".join(line + b"\n" for line in [*right_lines, b""])


def _is_wrong_notice(message: bytes) -> bool:
    """Return whether it is no answer, and nothing that `mcp` can read."""
    if b'"method"' not in message:
        return False
    try:
        jsonrpc_message_adapter.validate_json(message, by_name=False)
    except ValueError:
        pass
    else:
        return False
    try:
        return "method" in json.loads(message)
    except (ValueError, RecursionError, TypeError):
        return False
