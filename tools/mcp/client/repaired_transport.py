"""Both directions of a transport, by what is asked: each answer is repaired, no wait is in vain."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Self, cast

from mcp import types as protocol
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from .answer_repair import AnswerRepair

# Seconds for the first question, which servers of the old era need not know: many never answer it
PROBE_SECONDS = 5.0
_PROBE = "server/discover"


class PendingRequests:
    """The requests that a server has not answered."""

    def __init__(self) -> None:
        self._requests: dict[str, JSONRPCRequest] = {}
        self._deadline = 0.0
        self.wait: asyncio.Timeout | None = None
        """The wait for the next message."""
        self.has_ended = False
        """Whether nothing more can come."""

    def add(self, message: object) -> None:
        """Note what is sent: a request, or that one was given up."""
        if isinstance(message, JSONRPCRequest):
            self._requests[str(message.id)] = message
            if message.method == _PROBE:
                self._deadline = asyncio.get_running_loop().time() + PROBE_SECONDS
                if self.wait:
                    self.wait.reschedule(self._deadline)
        elif isinstance(message, JSONRPCNotification) and message.params:
            self._requests.pop(str(message.params.get("requestId")), None)

    @property
    def deadline(self) -> float | None:
        """When the first question has waited long enough; None while there is none."""
        is_open = any(request.method == _PROBE for request in self._requests.values())
        return self._deadline if is_open else None

    @property
    def only(self) -> JSONRPCRequest | None:
        """The only open request; None if there are several."""
        return next(iter(self._requests.values())) if len(self._requests) == 1 else None

    def take(self, identity: object) -> JSONRPCRequest | None:
        """Return the request that an answer belongs to, which is open no longer."""
        return self._requests.pop(str(identity), None)

    def give_up_probe(self) -> SessionMessage:
        """Return the answer that a server of the old era should have given."""
        probe = next(each for each in self._requests.values() if each.method == _PROBE)
        problem = protocol.ErrorData(code=protocol.METHOD_NOT_FOUND, message=_PROBE)
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=probe.id, error=problem))


class RecordingWriter:
    """The messages to a server, each request noted; `mcp` takes it as writer."""

    def __init__(self, stream: Any, requests: PendingRequests) -> None:
        self._stream, self._requests = stream, requests

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        self._requests.add(item.message)
        await self._stream.send(item)

    async def aclose(self) -> None:
        """Close the transport's stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)


class RepairedReader:
    """The messages of a transport, each repaired; `mcp` takes it as reader."""

    def __init__(
        self, stream: Any, writer: RecordingWriter, requests: PendingRequests, repair: AnswerRepair
    ) -> None:
        self._stream, self._writer = stream, writer
        self._requests, self._repair = requests, repair

    async def receive(self) -> Any:
        """Return the next message."""
        return await self._read(self._stream.receive)

    async def aclose(self) -> None:
        """Close the transport's stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await self._read(self._stream.__anext__)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)

    async def _read(self, receive: Callable[[], Awaitable[Any]]) -> Any:
        while True:
            try:
                async with asyncio.timeout_at(self._requests.deadline) as self._requests.wait:
                    item = await receive()
            except TimeoutError:
                item = self._requests.give_up_probe()
            except Exception:  # the end of a stream is one, too
                self._requests.has_ended = True
                raise
            finally:
                self._requests.wait = None
            if not isinstance(item, SessionMessage):
                return item
            match item.message:
                case JSONRPCResponse(id=identity):
                    request = self._requests.take(identity)
                    return self._repair.repair_message(item, request.method if request else "")
                case JSONRPCError() as error:
                    if not await self._ask_again(error):
                        return SessionMessage(self._find_owner(error))
                case JSONRPCNotification(method="notifications/message"):
                    continue  # a server's log has no reader here
                case _:
                    return item

    async def _ask_again(self, error: JSONRPCError) -> bool:
        """Shake hands in a version that a server names when it refuses ours."""
        request = self._requests.take(error.id)
        if request is None or request.method != "initialize" or request.params is None:
            return False
        data: object = error.error.data
        supported = (
            cast("dict[str, object]", data).get("supported") if isinstance(data, dict) else None
        )
        versions = cast("list[object]", supported) if isinstance(supported, list) else []
        usable = [each for each in HANDSHAKE_PROTOCOL_VERSIONS if each in versions]
        if not usable or request.params.get("protocolVersion") != LATEST_HANDSHAKE_VERSION:
            return False
        params = {**request.params, "protocolVersion": max(usable)}
        again = request.model_copy(update={"params": params})
        await self._writer.send(SessionMessage(again))
        return True

    def _find_owner(self, error: JSONRPCError) -> JSONRPCError:
        """Return the error with the ID of the only request that it can answer, if it has none."""
        only = self._requests.only
        if error.id is not None or only is None:
            return error
        self._requests.take(only.id)
        return error.model_copy(update={"id": only.id})
