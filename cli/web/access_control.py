"""Middleware that denies what does not come from the page: by token, `Host`, `Origin` and size.

A page of another origin can neither read the token nor send it: it is in no cookie, only in the
header `Authorization`. The files of the page itself hold no secret, and need none.
"""

import asyncio
import json
import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...config.settings.early_settings import LANGUAGES
from ...config.text import text
from ..i18n.catalogs import use_request_language
from ..i18n.message_translation import translate

# Bytes of a request's body, and seconds for it to arrive
MAX_BODY, BODY_TIME = 1_000_000, 10.0
# A client of AG-UI sends its whole conversation with each message
LARGE_BODIES = {"/agui": 16_000_000}
# The header with the language in which a page is answered
LANGUAGE = "mcode-language"
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class PageAccess:
    """Denies requests before any route sees them, and adds the headers that protect the page."""

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        """`hosts` are the values of `Host` at which the server answers, with their ports."""
        self._app, self._token, self._hosts = app, token.encode(), frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or deny one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # a websocket is never accepted
        send = _add_headers(send)
        language = Headers(scope=scope).get(LANGUAGE, "")
        use_request_language(language if language in LANGUAGES else "")
        denial = self._find_denial(scope)
        if denial:
            await _deny(send, *denial)
            return
        limit = LARGE_BODIES.get(scope["path"], MAX_BODY)
        try:
            body = await asyncio.wait_for(_read_body(receive, limit), BODY_TIME)
        except TimeoutError:
            await _deny(send, 408, "the request did not arrive in time")
            return
        if body is None:
            await _deny(
                send, 413, text("the request has more than {count} bytes", count=f"{limit:,}")
            )
            return
        await self._app(scope, _replay(body, receive), send)

    def _find_denial(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self._hosts:
            return 421, "this server answers only at the address that it has printed"
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin):
            return 403, "the request comes from a page of another site"
        if headers.get("sec-fetch-site") not in (None, "same-origin", "none"):
            is_open = scope["method"] == "GET" and scope["path"] == "/"
            if not is_open:  # a link from elsewhere may open the page
                return 403, "the request comes from a page of another site"
        path = scope["path"]
        if path == "/" or (path.startswith("/page/") and scope["method"] in ("GET", "HEAD")):
            return None
        if not self._has_token(headers):
            return 401, "the token is missing or wrong: open the address that was printed"
        if scope["method"] == "POST" and not _is_json(headers):
            return 415, "the body must be JSON: `Content-Type: application/json`"
        if (language := headers.get(LANGUAGE, "")) not in ("", *LANGUAGES):
            return 400, text("unsupported language `{language}`", language=language)
        return None

    def _is_own(self, origin: str) -> bool:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() in self._hosts

    def _has_token(self, headers: Headers) -> bool:
        values = headers.getlist("authorization")
        if len(values) != 1:
            return False
        scheme, _, token = values[0].partition(" ")
        return scheme.lower() == "bearer" and secrets.compare_digest(token.encode(), self._token)


def list_hosts(port: int, public: str = "") -> set[str]:
    """Return the values of `Host` to accept; `public` is the address of a reverse proxy."""
    hosts = {f"{name}:{port}" for name in LOCAL_NAMES}
    return hosts | ({urlsplit(public).netloc.lower()} if public else set())


def _is_json(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json"


async def _read_body(receive: Receive, limit: int) -> bytes | None:
    """Return the body; None if it is too long. Raises TimeoutError by the caller's limit."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > limit:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body once, and then waits for the client to go."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def take() -> Message:
        return messages.pop() if messages else await receive()

    return take


def _add_headers(send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return add


async def _deny(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": {"message": translate(reason), "hint": ""}}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
