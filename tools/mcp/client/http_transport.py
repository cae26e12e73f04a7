"""MCP over HTTP: requests by POST, answers as JSON or as a stream of events."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from ....config.network.client import LIMITS, AddressCheck, NetworkTransport, build_usual_headers
from ....config.network.failures import find_hint
from ....config.network.response_limits import MAX_JSON_VALUES, ResponseLimits, read_json
from ....config.text import text
from ..oauth.stored_login import StoredLogin, build_auth
from ..server_config import McpServer
from .event_repair import repair_events
from .lost_session import SESSION, is_session_lost
from .raw_answers import repair_body

# Codes of our own in answers that no server has given
NOT_SENT, REFUSED, MAY_HAVE_RUN, SESSION_LOST = -32950, -32951, -32952, -32953
# Seconds until a host must have taken the connection, and until it must have taken the request
CONNECT_SECONDS, WRITE_SECONDS = 15.0, 60.0
# What certainly ends before a request is sent
_BEFORE = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
# The server understood, and did not do it
_REFUSED = (400, 401, 403, 404, 405, 406, 410, 413, 414, 415, 421, 422, 429)
# Bytes of a refusal that are looked at
MAX_WORDS = 2_000
# Bytes of one message, and of all in the answer to one request
MAX_MESSAGE_BYTES, MAX_ANSWER_BYTES = 16_000_000, 64_000_000
_LIMITS = ResponseLimits(
    MAX_ANSWER_BYTES,
    max_event_bytes=MAX_MESSAGE_BYTES,
    max_values=MAX_JSON_VALUES,
    skips_strings=True,
)
_STREAM_LIMITS = replace(_LIMITS, max_bytes=None)
# What servers without a framework call JSON
_JSON_KINDS = ("", "text/plain", "text/json", "application/octet-stream", "application/x-json")


class McpHttpClient(httpx2.AsyncClient):
    """A client whose failures are JSON-RPC errors: one failed request never ends the others."""

    login: StoredLogin | None = None
    """Knows why a request was refused, if a login would help."""
    needs_stream = False
    """Whether all answers come on a stream that a GET opens, as of type `sse`."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send the request; an error of the network or of HTTP becomes an answer."""
        # the stream of a GET stays open for messages, as long as the session
        request.extensions[LIMITS] = _STREAM_LIMITS if request.method == "GET" else _LIMITS
        try:
            response = await super().send(request, **options)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            code = NOT_SENT if isinstance(error, _BEFORE) else MAY_HAVE_RUN
            return _build_error(request, 503, code, _describe_failure(request, error))
        if request.method == "POST" and response.is_success and _read_kind(response) in _JSON_KINDS:
            response.headers["content-type"] = "application/json"
        response.stream = _AnswerStream(response)
        status, refusal = response.status_code, self.login and self.login.refusal
        if status < 400 or not (request.method == "POST" or self.needs_stream):
            return response
        answered = await _read_answer(response)
        reason = _describe_status(status)
        if is_session_lost(response, await _read_words(response)):
            await response.aclose()
            return _build_error(request, status, SESSION_LOST, reason)
        # after a refusal, `mcp` tries the older handshake, which fails with a reason of its own
        if not refusal and answered is not None:
            return response
        await response.aclose()
        if refusal:
            reason = text("{problem}: {hint}", problem=refusal.message, hint=refusal.hint)
        code = REFUSED if status in _REFUSED else MAY_HAVE_RUN
        return _build_error(request, status, code, reason)


class _AnswerStream(httpx2.AsyncByteStream):
    """The bytes of an answer, with the errors in it that `mcp` does not know."""

    def __init__(self, response: httpx2.Response) -> None:
        self._stream = cast("httpx2.AsyncByteStream", response.stream)
        self._request = response.request
        kind = _read_kind(response)
        self._is_events = kind == "text/event-stream"
        self._is_json = kind.startswith("application/json")

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        request_id = _read_request_id(self._request)
        try:
            if self._is_json:
                body = b"".join([piece async for piece in self._stream])
                yield repair_body(body, request_id)
                return
            events = repair_events(self._stream, request_id) if self._is_events else self._stream
            async for piece in events:
                yield piece
        except httpx2.DecodingError as error:
            kind = httpx2.SSEError if self._is_events else httpx2.StreamError
            raise kind(str(error)) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


def _read_request_id(request: httpx2.Request) -> int | str | None:
    try:
        message: object = json.loads(request.content)
    except (ValueError, httpx2.RequestNotRead):
        return None
    identity = cast("dict[str, object]", message).get("id") if isinstance(message, dict) else None
    return identity if isinstance(identity, int | str) else None


async def _read_answer(response: httpx2.Response) -> str | None:
    """Return the message of an error that is JSON-RPC; None if the answer is no such error."""
    if not _read_kind(response).startswith("application/json"):
        return None
    try:
        answer: object = read_json(await response.aread())
    except (ValueError, httpx2.StreamError, httpx2.TransportError):
        return None
    if not isinstance(answer, dict) or "jsonrpc" not in answer:
        return None
    error: object = cast("dict[str, object]", answer).get("error")
    return str(cast("dict[str, object]", error).get("message")) if isinstance(error, dict) else ""


async def _read_words(response: httpx2.Response) -> str:
    """Return what the body of a refusal says; empty for a page."""
    if SESSION not in response.request.headers or _read_kind(response) == "text/html":
        return ""
    try:
        return (await response.aread())[:MAX_WORDS].decode("utf-8", "replace")
    except (httpx2.StreamError, httpx2.TransportError):
        return ""


def _read_kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _build_error(request: httpx2.Request, status: int, code: int, reason: str) -> httpx2.Response:
    details = {"code": code, "message": reason, "data": {"status": status}}
    error = {"jsonrpc": "2.0", "id": None, "error": details}
    return httpx2.Response(status, json=error, request=request)


def read_reason(error: httpx2.HTTPStatusError) -> str:
    """Return why a request failed for which `mcp` has no answer but its status."""
    try:
        return str(read_json(error.response.content)["error"]["message"])
    except (ValueError, LookupError, TypeError, httpx2.StreamError):
        return _describe_status(error.response.status_code)


def _describe_failure(request: httpx2.Request, error: httpx2.RequestError) -> str:
    host = request.url.netloc.decode(errors="replace").rpartition("@")[2]
    if isinstance(error, _BEFORE):
        return text("no connection to {host}: {reason}", host=host, reason=_name_reason(error))
    return text("{host} did not answer: {reason}", host=host, reason=_name_reason(error))


def _name_reason(error: Exception) -> str:
    reason = str(error).partition("\n")[0] or type(error).__name__
    hint = find_hint(error)
    return text("{problem}: {hint}", problem=reason, hint=hint) if hint else reason


def _describe_status(status: int) -> str:
    names = {each.value: each.phrase for each in HTTPStatus}
    return text("HTTP {status} {phrase}", status=status, phrase=names.get(status, "")).strip()


@asynccontextmanager
async def open_http(server: McpServer, home: Path) -> AsyncGenerator[Any]:
    """Yield the streams to a server; the connection itself is made by the first request."""
    login = build_auth(server, home)

    def open_client(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> McpHttpClient:
        limits = httpx2.Timeout(CONNECT_SECONDS, read=None, write=WRITE_SECONDS)
        client = McpHttpClient(
            headers={**build_usual_headers(), **server.headers},
            timeout=limits,
            auth=login,
            transport=NetworkTransport(_LIMITS, check=AddressCheck(server.url)),
            trust_env=False,
        )
        client.login, client.needs_stream = login, server.transport == "sse"
        return client

    if server.transport == "sse":
        async with sse_client(server.url, httpx_client_factory=open_client) as streams:
            yield streams
        return
    async with (
        open_client() as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams
