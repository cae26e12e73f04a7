"""Middleware that refuses every request to LangGraph's server that does not carry the secret.

The server itself answers anybody and takes a body of any content type, and it runs commands: any
process of this machine, and any page in the user's browser, could send it a task. So its address
has a secret of this start in its path, which Studio's page passes on as a part of `baseUrl`.
`Origin` and `Host` are checked besides: they stop a page that was shown the address.
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

_logger = logging.getLogger(__name__)
_SECRET = secrets.token_urlsafe(32)
_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}|https://(\w+\.)?smith\.langchain\.com")
_STUDIO_PAGE = "https://smith.langchain.com/studio/?baseUrl={address}"
REFUSED = "This server answers only at the address that was printed when it was started"


class AccessControl:
    """Refuses what comes without the secret, or from elsewhere, before any route sees it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif is_local(Headers(scope=scope)) and (allowed := _without_secret(scope)):
            await self._app(allowed, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, REFUSED)(scope, receive, send)
        else:
            await PlainTextResponse(f"{REFUSED}\n", 403)(scope, receive, send)


def is_local(headers: Headers) -> bool:
    """Whether a request comes from this machine or from Studio's page."""
    host, origin = headers.get("host", ""), headers.get("origin")
    return bool(_HOST.fullmatch(host)) and (origin is None or bool(_ORIGIN.fullmatch(origin)))


def build_secret_address() -> str:
    """Where the running server answers, with the secret; empty before it has chosen a port.

    The server chooses another port where its own was taken meanwhile: the secret must not be sent
    to the process that took it.
    """
    server = os.environ.get("LANGGRAPH_API_URL")
    return f"{server}/{_SECRET}" if server else ""


def build_studio_link(address: str) -> str:
    """Studio's page on this server."""
    return _STUDIO_PAGE.format(address=address)


def _without_secret(scope: Scope) -> Scope | None:
    """The same request as the routes know it; None where the secret is missing or wrong."""
    _, first, *rest = [*scope["path"].split("/", 2), ""]
    if not secrets.compare_digest(first.encode(), _SECRET.encode()):
        return None
    path = f"/{rest[0]}"
    return {**scope, "path": path, "raw_path": path.encode()}


@asynccontextmanager
async def _print_link(_: Starlette) -> AsyncGenerator[None]:
    """For `langgraph dev`, which knows nothing of the secret; `mcode studio` hides logs of INFO."""
    _logger.info("Studio: %s", build_studio_link(build_secret_address()))
    yield


app = Starlette(middleware=[Middleware(AccessControl)], lifespan=_print_link)
