"""Streams of events as servers write them, in pieces of every size."""

import json
from collections.abc import AsyncGenerator

import httpx2
import pytest

from maxagent.tools.mcp.client.event_repair import repair_events

ANSWER = {"jsonrpc": "2.0", "id": 7, "result": {"content": []}}
LINE = json.dumps(ANSWER)
PRETTY = "".join(f"data: {line}\n" for line in json.dumps(ANSWER, indent=1).splitlines())
WRONG = '{"jsonrpc": "2.0", "method": "notifications/progress", "params": [1]}'
LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'
NO_ID = json.dumps({**ANSWER, "id": None})

STREAMS = {
    "as it should be": f"event: message\ndata: {LINE}\n\n",
    "ends of Windows": f"event: message\r\ndata: {LINE}\r\n\r\n",
    "ends of an old Mac": f"event: message\rdata: {LINE}\r\r",
    "a mark of the byte order": f"\ufeffdata: {LINE}\n\n",
    "without an end": f"data: {LINE}",
    "several lines": f"{PRETTY}\n",
    "a name of its own": f"event: response\ndata: {LINE}\n\n",
    "pings before it": f": ping\n\nevent: ping\ndata: {{}}\n\ndata: {LINE}\n\n",
    "a wrong notice before it": f"data: {WRONG}\n\ndata: {LINE}\n\n",
    "a log before it": f"data: {LOG}\n\n" * 3 + f"data: {LINE}\n\n",
    "no ID": f"data: {NO_ID}\n\n",
    "no blank": f"data:{LINE}\n\n",
}


async def read(stream: str, size: int) -> list[object]:
    """Read as `mcp` does: the messages of events without a name, or by the usual one."""
    data = stream.encode()

    async def iter_pieces() -> AsyncGenerator[bytes]:
        for start in range(0, len(data), size):
            yield data[start : start + size]

    content = b"".join([event async for event in repair_events(iter_pieces(), 7)])
    request, kind = httpx2.Request("GET", "http://h"), {"content-type": "text/event-stream"}
    response = httpx2.Response(200, content=content, headers=kind, request=request)
    source = httpx2.EventSource(response)
    events = [event async for event in source if event.event == "message" and event.data]
    return [json.loads(event.data) for event in events]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("oddity", STREAMS)
async def test_message_is_read(oddity: str, size: int) -> None:
    assert await read(STREAMS[oddity], size) == [ANSWER]


async def test_event_is_yielded_at_its_end() -> None:
    async def iter_pieces() -> AsyncGenerator[bytes]:
        yield f"data: {LINE}\r\r".encode()
        raise AssertionError("nothing more is needed")

    assert LINE.encode() in await anext(repair_events(iter_pieces(), None))


async def test_ids_of_events_are_kept() -> None:
    async def iter_pieces() -> AsyncGenerator[bytes]:
        yield f"id: 4\nretry: 20\ndata: {LOG}\n\n".encode()

    assert [event async for event in repair_events(iter_pieces(), None)] == [
        b"id: 4\nretry: 20\n\n"
    ]
