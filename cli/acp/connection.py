"""JSON-RPC 2.0 over two streams, one message a line: requests and notifications of both sides."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any, cast

from ...sdk.cancel_shield import run_shielded
from .frames import INTERNAL_ERROR, JsonObject, RpcError, parse_frame, write_frame

# Messages that wait to be handled, and those being handled; then the client waits, or is refused
MAX_WAITING = 1_000
CANCELLED = -32800
# Seconds for the answers that are being made when the client has said all
LAST_ANSWERS = 10.0
_logger = logging.getLogger(__name__)

RequestId = str | int | None


class ConnectionLostError(Exception):
    """The client is gone."""


# Handles a request or a notification; the result is the answer
Handler = Callable[[str, dict[str, Any]], Awaitable[object]]
BuildError = Callable[[Exception], RpcError]


class Connection:
    """One client at the other end of the two streams."""

    def __init__(
        self, handle: Handler, build_error: BuildError, frames: Iterator[bytes], write_fd: int
    ) -> None:
        self._handle, self._build_error = handle, build_error
        self._frames, self._write_fd = frames, write_fd
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._tasks = set[asyncio.Task[None]]()
        self._number, self._is_lost = 0, False
        self._writing = asyncio.Lock()
        self._room = threading.Semaphore(MAX_WAITING)

    async def serve(self) -> None:
        """Answer until the client closes its stream or reads no more; then call `close`."""
        self._loop, frames = asyncio.get_running_loop(), asyncio.Queue[bytes | None]()
        reader = threading.Thread(target=self._read, args=[frames], daemon=True)
        reader.start()
        try:
            while (frame := await frames.get()) is not None:
                self._room.release()
                await self._receive(frame)
        except ConnectionLostError:
            self._lose()
        finally:
            self._drop_questions()  # the client can answer no more

    async def close(self) -> None:
        """Send the answers that are still being made; end what takes longer."""
        if self._tasks and not self._is_lost:
            await asyncio.wait(self._tasks, timeout=LAST_ANSWERS)
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
            for frame in self._frames:
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
            await self._begin(message)
        elif answer := self._asked.get(cast(int, message.get("id"))):
            _settle(answer, message)

    async def _begin(self, message: dict[str, Any]) -> None:
        if "id" in message and len(self._running) >= MAX_WAITING:
            busy = RpcError(INTERNAL_ERROR, "too many requests are being handled; wait for answers")
            await self._send({"id": message["id"], "error": busy.as_json()})
            return
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
        async with self._writing:
            if self._is_lost:
                raise ConnectionLostError
            try:
                # cancelled in the middle of a line, it ends the line before the next one begins
                await run_shielded(asyncio.to_thread(write_frame, self._write_fd, message))
            except OSError:
                raise ConnectionLostError from None

    def _lose(self) -> None:
        self._is_lost = True
        for task in self._tasks:
            task.cancel()
        self._drop_questions()

    def _drop_questions(self) -> None:
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionLostError())


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
