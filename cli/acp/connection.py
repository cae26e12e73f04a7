"""JSON-RPC 2.0 over two streams, one message a line: requests and notifications of both sides."""

import asyncio
import json
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

# Bytes of one message; images come in it
MAX_FRAME = 64_000_000
CHUNK_SIZE = 1 << 16
# Messages that wait to be handled; then the client has to wait, too
MAX_WAITING = 1_000
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, CANCELLED = -32603, -32800
_logger = logging.getLogger(__name__)

JsonObject = Mapping[str, Any]
RequestId = str | int | None


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


class ConnectionLostError(Exception):
    """The client is gone."""


# Handles a request or a notification; the result is the answer
Handler = Callable[[str, dict[str, Any]], Awaitable[object]]
BuildError = Callable[[Exception], RpcError]


class Connection:
    """One client at the other end of the two streams."""

    def __init__(self, handle: Handler, build_error: BuildError, read_fd: int, write_fd: int):
        self._handle, self._build_error = handle, build_error
        self._read_fd, self._write_fd = read_fd, write_fd
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._tasks = set[asyncio.Task[None]]()
        self._number, self._is_lost = 0, False
        self._writing = asyncio.Lock()
        self._room = threading.Semaphore(MAX_WAITING)

    async def serve(self) -> None:
        """Answer until the client closes its stream or reads no more."""
        self._loop, frames = asyncio.get_running_loop(), asyncio.Queue[bytes | None]()
        reader = threading.Thread(target=self._read, args=[frames], daemon=True)
        reader.start()
        try:
            while (frame := await frames.get()) is not None:
                self._room.release()
                await self._receive(frame)
        except ConnectionLostError:
            pass
        finally:
            self._lose()

    async def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification; waits while the client does not read."""
        await self._send({"method": method, "params": params})

    async def request(self, method: str, params: JsonObject) -> Any:
        """Return the client's answer; raises RpcError for an error, ConnectionLostError."""
        self._number += 1
        number, answer = self._number, asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        try:
            await self._send({"id": number, "method": method, "params": params})
            return await answer
        except asyncio.CancelledError:
            with suppress(ConnectionLostError):
                await self._send({"method": "$/cancel_request", "params": {"requestId": number}})
            raise
        finally:
            self._asked.pop(number, None)

    def cancel_request(self, request_id: RequestId) -> None:
        """Cancel a request of the client that is being handled."""
        if task := self._running.get(request_id):
            task.cancel()

    def _read(self, frames: "asyncio.Queue[bytes | None]") -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody reads the messages
            for frame in _read_frames(self._read_fd):
                self._room.acquire()
                self._loop.call_soon_threadsafe(frames.put_nowait, frame)
            self._loop.call_soon_threadsafe(frames.put_nowait, None)

    async def _receive(self, frame: bytes) -> None:
        try:
            message = parse_frame(frame)
        except RpcError as error:
            await self._send({"id": None, "error": error.as_json()})
            return
        if "method" in message:
            self._begin(message)
        elif answer := self._asked.get(cast(int, message.get("id"))):
            _settle(answer, message)

    def _begin(self, message: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._answer(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if "id" in message:
            request_id: RequestId = message["id"]
            self._running[request_id] = task
            task.add_done_callback(lambda _: self._running.pop(request_id, None))

    async def _answer(self, message: dict[str, Any]) -> None:
        """Handle one request or notification, and send the answer to a request."""
        method = str(message["method"])
        params = cast("dict[str, Any]", message.get("params") or {})
        try:
            answer: JsonObject = {"result": await self._handle(method, params) or {}}
        except RpcError as error:
            answer = {"error": error.as_json()}
        except asyncio.CancelledError:
            answer = {"error": RpcError(CANCELLED, "the request was cancelled").as_json()}
        except ConnectionLostError:
            return
        except Exception as error:  # a fault ends one request, not the connection
            answer = {"error": self._build_error(error).as_json()}
        if "id" in message:
            with suppress(ConnectionLostError):
                await self._send({"id": message["id"], **answer})
        elif "error" in answer:  # nobody waits for an answer to a notification
            _logger.warning("%s: %s", method, answer["error"]["message"])

    async def _send(self, message: JsonObject) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"
        async with self._writing:
            if self._is_lost:
                raise ConnectionLostError
            try:
                await asyncio.to_thread(_write_all, self._write_fd, data)
            except OSError:
                raise ConnectionLostError from None

    def _lose(self) -> None:
        self._is_lost = True
        for task in self._tasks:
            task.cancel()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionLostError())


def _read_frames(descriptor: int) -> Iterator[bytes]:
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


def _write_all(descriptor: int, data: bytes) -> None:
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


def _settle(answer: "asyncio.Future[Any]", message: JsonObject) -> None:
    if answer.done():
        return
    error = message.get("error")
    if not isinstance(error, dict):
        answer.set_result(message.get("result"))
        return
    fields = cast("dict[str, Any]", error)
    code = fields.get("code")
    answer.set_exception(
        RpcError(code if isinstance(code, int) else INTERNAL_ERROR, str(fields.get("message")))
    )
