"""Middleware that denies every request to LangGraph's server without the secret.

The server itself answers any client and takes a body of any content type, and it runs commands: any
process of this machine, and any page in the user's browser, could send it a task. So each start
creates a secret, which is in the path of its address; Studio's page sends it as a part of
`baseUrl`. `mcode --remote` sends it in `Authorization`, which no log keeps. `Origin` and `Host` are
checked too: they stop a page that knows the address.
"""

import logging
import os
import re
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from .thread_listing import keep_listed

_logger = logging.getLogger(__name__)
_SECRET = secrets.token_urlsafe(32)
_HEADER = b"authorization"
_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}|https://(\w+\.)?smith\.langchain\.com")
_STUDIO_PAGE = "https://smith.langchain.com/studio/?baseUrl={address}"
REFUSED = (
    "This server answers only at the address that was printed when it was started; "
    "`langgraph dev` prints it behind `Studio`, below its greeting"
)


class AccessControl:
    """Denies requests without the secret, or from elsewhere, before any route sees them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or deny one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif is_local(Headers(scope=scope)) and (allowed := _without_secret(scope)):
            await self._app(allowed, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, REFUSED)(scope, receive, send)
        else:
            await PlainTextResponse(f"{REFUSED}\n", 403)(scope, receive, send)


def is_local(headers: Headers) -> bool:
    """Return whether a request comes from this machine or from Studio's page."""
    host, origin = headers.get("host", ""), headers.get("origin")
    return bool(_HOST.fullmatch(host)) and (origin is None or bool(_ORIGIN.fullmatch(origin)))


def build_secret_address() -> str:
    """Return the running server's address with the secret; empty before it has a port.

    The server chooses another port if its own was taken meanwhile: the secret must not be sent to
    the process that took it.
    """
    server = os.environ.get("LANGGRAPH_API_URL")
    return f"{server}/{_SECRET}" if server else ""


def build_studio_link(address: str) -> str:
    """Return the address of Studio's page for this server."""
    return _STUDIO_PAGE.format(address=address)


def _without_secret(scope: Scope) -> Scope | None:
    """Return the request without the secret; None if the secret is missing or wrong."""
    headers = Headers(scope=scope).getlist("authorization")
    if headers and secrets.compare_digest(headers[0].encode(), f"Bearer {_SECRET}".encode()):
        return {**scope, "headers": [each for each in scope["headers"] if each[0] != _HEADER]}
    _, first, *rest = [*scope["path"].split("/", 2), ""]
    if not secrets.compare_digest(first.encode(), _SECRET.encode()):
        return None
    path = f"/{rest[0]}"
    return {**scope, "path": path, "raw_path": path.encode()}


@asynccontextmanager
async def _begin(_: Starlette) -> AsyncGenerator[None]:
    """List the threads, and print the link for `langgraph dev`; `mcode studio` hides this log."""
    async with keep_listed():
        _logger.info("Studio, not the link above: %s", build_studio_link(build_secret_address()))
        yield


app = Starlette(middleware=[Middleware(AccessControl)], lifespan=_begin)
