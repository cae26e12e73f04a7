"""MCP over HTTP: requests by POST, answers as JSON or as a stream of events."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from ....config.text import text
from ..oauth.stored_login import StoredLogin, build_auth
from ..server_config import McpServer
from .stdio_transport import MAX_MESSAGE_BYTES

# Codes of our own in answers that no server has given
NOT_SENT, REFUSED, MAY_HAVE_RUN = -32950, -32951, -32952
# Seconds until a host must have taken the connection, and until it must have taken the request
CONNECT_SECONDS, WRITE_SECONDS = 15.0, 60.0
# What certainly ends before a request is sent
_BEFORE = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
# The server understood, and did not do it
_REFUSED = (400, 401, 403, 404, 405, 406, 415, 421, 429)
SESSION = "mcp-session-id"


class McpHttpClient(httpx2.AsyncClient):
    """A client whose failures are JSON-RPC errors: one failed request never ends the others."""

    login: StoredLogin | None = None
    """Knows why a request was refused, if a login would help."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send the request; an error of the network or of HTTP becomes an answer."""
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            code = NOT_SENT if isinstance(error, _BEFORE) else MAY_HAVE_RUN
            return _build_error(request, 503, code, _describe_failure(request, error))
        if response.headers.get("content-type", "").lower().startswith("application/json"):
            response.stream = _BoundedStream(cast("httpx2.AsyncByteStream", response.stream))
        status, refusal = response.status_code, self.login and self.login.refusal
        if request.method != "POST" or status < 400:
            return response
        # after a refusal, `mcp` tries the older handshake, which fails with a reason of its own
        if not refusal and await _is_answer(response):
            return response
        await response.aclose()
        reason = _describe_status(status)
        if refusal:
            reason = text("{problem}: {hint}", problem=refusal.message, hint=refusal.hint)
        code = REFUSED if status in _REFUSED else MAY_HAVE_RUN
        return _build_error(request, status, code, reason)


class _BoundedStream(httpx2.AsyncByteStream):
    """The bytes of an answer, up to the limit of one message."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > MAX_MESSAGE_BYTES:
                limit = MAX_MESSAGE_BYTES // 1_000_000
                raise httpx2.StreamError(text("more than {limit} MB", limit=limit))
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _is_answer(response: httpx2.Response) -> bool:
    """Return whether an error of HTTP is one that `mcp` knows: a lost session, or JSON-RPC."""
    if response.status_code == 404 and SESSION in response.request.headers:
        return True
    if not response.headers.get("content-type", "").lower().startswith("application/json"):
        return False
    try:
        answer: object = json.loads(await response.aread())
    except (ValueError, httpx2.StreamError, httpx2.TransportError):
        return False
    return isinstance(answer, dict) and "jsonrpc" in answer


def _build_error(request: httpx2.Request, status: int, code: int, reason: str) -> httpx2.Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}
    return httpx2.Response(status, json=error, request=request)


def _describe_failure(request: httpx2.Request, error: httpx2.TransportError) -> str:
    host = request.url.netloc.decode(errors="replace").rpartition("@")[2]
    if isinstance(error, _BEFORE):
        return text("no connection to {host}: {reason}", host=host, reason=_name_reason(error))
    return text("{host} did not answer: {reason}", host=host, reason=_name_reason(error))


def _name_reason(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


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
        client = McpHttpClient(headers=dict(server.headers), timeout=limits, auth=login)
        client.login = login
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
