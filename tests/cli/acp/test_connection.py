"""Messages of JSON-RPC over real pipes: good ones, broken ones, endless ones."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from maxagent.cli.acp import connection as connection_module
from maxagent.cli.acp import frames as module
from maxagent.cli.acp.connection import Connection
from maxagent.cli.acp.frames import RpcError, parse_frame, read_frames


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b'{"id": 1, "method": "a"} {}', -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b"null", -32600),
        (b'{"id": true, "method": "a"}', -32600),
        (b'{"id": {}, "method": "a"}', -32600),
        (b'{"id": 1.5, "method": "a"}', -32600),
        (b'{"id": 1, "method": 5}', -32600),
        (b'{"id": 1, "method": "a", "params": [1]}', -32600),
    ],
)
def test_what_is_no_message_is_an_error(frame: bytes, code: int) -> None:
    with pytest.raises(RpcError) as raised:
        parse_frame(frame)
    assert raised.value.code == code


class Peer:
    """The client's ends of the two pipes."""

    def __init__(self, read: int, write: int) -> None:
        self._write, self._lines = write, open(read, encoding="utf-8")  # noqa: SIM115
        self.is_closed = False
        self.is_told, self.is_asked = asyncio.Event(), asyncio.Event()
        self.was_read = asyncio.Event()
        """Set once the connection has read all that the client said."""

    def send(self, line: bytes) -> None:
        os.write(self._write, line + b"\n")

    async def read(self) -> dict[str, Any]:
        return json.loads(await asyncio.to_thread(self._lines.readline))

    def close(self) -> None:
        os.close(self._write)
        self.is_closed = True


@asynccontextmanager
async def connected() -> AsyncGenerator[tuple[Connection, Peer]]:
    (inner_read, outer_write), (outer_read, inner_write) = os.pipe(), os.pipe()

    async def handle(method: str, params: dict[str, Any]) -> object:
        if method == "fail":
            raise ValueError("broken")
        if method == "slow":  # until its client has said all
            await peer.was_read.wait()
        if method == "wait":
            await asyncio.Event().wait()
        if method == "tell":  # what the client does not read yet
            asyncio.get_running_loop().call_later(0.05, peer.is_told.set)
            await connection.notify("told", {"text": "x" * params["size"]})
        if method == "echo":
            peer.is_asked.set()
        if method == "ask":
            return await connection.request("question", params)
        if method == "$/cancel_request":
            connection.cancel_request(params["requestId"])
        return {"echo": params}

    async def serve() -> None:
        await connection.serve()
        peer.was_read.set()

    def build_error(error: Exception) -> RpcError:
        return RpcError(-32603, str(error))

    connection = Connection(handle, build_error, read_frames(inner_read), inner_write)
    peer = Peer(outer_read, outer_write)
    serving = asyncio.ensure_future(serve())
    yield connection, peer
    if not peer.is_closed:
        peer.close()
    await serving
    await connection.close()
    os.close(inner_write)
    peer._lines.close()  # pyright: ignore[reportPrivateUsage]


async def test_broken_messages_end_neither_connection_nor_request() -> None:
    async with connected() as (_, peer):
        peer.send(b'{"id": 1, "method": "wait"}')
        for line in (b"nonsense", b"[]", b'{"id": 2, "method": "fail"}'):
            peer.send(line)
            assert "error" in await peer.read()
        peer.send(b'{"id": "x", "method": "echo", "params": {"a": 1}}')
        answer = {"jsonrpc": "2.0", "id": "x", "result": {"echo": {"a": 1}}}
        assert await peer.read() == answer
        peer.send(b'{"method": "$/cancel_request", "params": {"requestId": 1}}')
        assert (await peer.read())["error"]["code"] == -32800


async def test_a_line_without_end_costs_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FRAME", 1_000)
    async with connected() as (_, peer):
        for _ in range(3):
            await asyncio.to_thread(peer.send, b"x" * 300_000)
            error = (await peer.read())["error"]
            assert error["code"] == -32600 and "longer than 1,000 bytes" in error["message"]
        peer.send(b'{"id": 1, "method": "echo"}')
        assert (await peer.read())["id"] == 1


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ({"result": {"a": 1}}, {"result": {"a": 1}}),
        ({"result": None}, {"result": {}}),
        ({"error": {"code": 7, "message": "no"}}, {"error": {"code": 7, "message": "no"}}),
        ({"error": {"code": "E", "message": "no"}}, {"error": {"code": -32603, "message": "no"}}),
        ({"error": {}}, {"error": {"code": -32603, "message": "None"}}),
    ],
)
async def test_answers_of_the_client(reply: dict[str, Any], answer: dict[str, Any]) -> None:
    async with connected() as (_, peer):
        peer.send(b'{"id": 9, "method": "ask"}')
        asked = await peer.read()
        assert asked["method"] == "question"
        peer.send(json.dumps({"id": 999, **reply}).encode())  # of nobody
        peer.send(json.dumps({"id": asked["id"], **reply}).encode())
        assert await peer.read() == {"jsonrpc": "2.0", "id": 9, **answer}


async def test_answers_being_made_are_sent_at_the_end() -> None:
    async with connected() as (connection, peer):
        peer.send(b'{"id": 1, "method": "echo"}')
        peer.send(b'{"id": 2, "method": "slow"}')
        assert (await peer.read())["id"] == 1
        peer.close()
        await peer.was_read.wait()
        closing = asyncio.ensure_future(connection.close())
        assert (await peer.read()) == {"jsonrpc": "2.0", "id": 2, "result": {"echo": {}}}
        await closing


async def test_a_question_ends_with_its_client() -> None:
    async with connected() as (_, peer):
        peer.send(b'{"id": 1, "method": "ask"}')
        assert (await peer.read())["method"] == "question"


@pytest.mark.parametrize("size", [1_000, 70_000, 300_000, 1_000_000, 3_000_000])
async def test_a_cancelled_request_ends_its_line_first(size: int) -> None:
    async with connected() as (_, peer):
        peer.send(json.dumps({"id": 1, "method": "tell", "params": {"size": size}}).encode())
        await peer.is_told.wait()
        peer.send(b'{"method": "$/cancel_request", "params": {"requestId": 1}}')
        peer.send(b'{"id": 2, "method": "echo"}')
        await peer.is_asked.wait()
        messages = [await peer.read() for _ in range(3)]
    notification = messages[0]["params"]["text"]
    assert len(notification) == size
    assert sorted(message["id"] for message in messages[1:]) == [1, 2]


async def test_requests_beyond_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "MAX_WAITING", 3)
    async with connected() as (connection, peer):
        for number in range(5):
            peer.send(json.dumps({"id": number, "method": "wait"}).encode())
        refused = [await peer.read() for _ in range(2)]
        assert [(message["id"], message["error"]["code"]) for message in refused] == [
            (3, -32603),
            (4, -32603),
        ]
        peer.send(b'{"method": "$/cancel_request", "params": {"requestId": 0}}')
        assert (await peer.read())["error"]["code"] == -32800
        peer.send(b'{"id": 9, "method": "echo"}')
        assert (await peer.read())["id"] == 9
        for number in (1, 2):
            connection.cancel_request(number)
