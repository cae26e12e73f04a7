"""Who may talk to LangGraph's server: programs of this machine, pages of this machine, Studio.

The server itself answers anybody and takes a body of any content type, so any page in the user's
browser could send it a task, which runs commands. Browsers name the page in `Origin`; `Host` is
looked at because a page can have its own name resolve to this machine.
"""

import re

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}|https://(\w+\.)?smith\.langchain\.com")
REFUSED = "Only Studio and this machine may use this server"


class Door:
    """Refuses what comes from elsewhere before anything else looks at it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request."""
        if scope["type"] == "lifespan" or is_allowed(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, REFUSED)(scope, receive, send)
        else:
            await PlainTextResponse(f"{REFUSED}\n", 403)(scope, receive, send)


def is_allowed(headers: Headers) -> bool:
    """Whether a request comes from this machine or from Studio's page."""
    host, origin = headers.get("host", ""), headers.get("origin")
    return bool(_HOST.fullmatch(host)) and (origin is None or bool(_ORIGIN.fullmatch(origin)))


app = Starlette(middleware=[Middleware(Door)])
