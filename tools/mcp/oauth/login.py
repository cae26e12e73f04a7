"""A login to a server in the user's browser, and its end."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

import httpx2
from mcp.client.auth import OAuthFlowError, PKCEParameters
from mcp.client.auth.utils import union_scopes, validate_authorization_response_iss

from ....config.network import client as network
from ....config.network.failures import find_hint
from ....config.network.response_limits import MAX_JSON_VALUES, ResponseLimits
from ....config.text import text
from .discovery import AuthorizationServer, discover
from .errors import LoginError
from .loopback_callback import LoopbackCallback, read_redirect
from .registration import choose_client
from .storage import RemoteServer, ServerLogin, read_login, update_login
from .token_requests import (
    build_exchange,
    build_revocation,
    describe_refusal,
    forgets_client,
    read_tokens,
)

REQUEST_SECONDS = 30.0
# Metadata and tokens are small
_LIMITS = ResponseLimits(1_000_000, 2 * REQUEST_SECONDS, max_values=MAX_JSON_VALUES)
# Some servers let everybody connect and want a login for the rest. Neither has an effect.
_PROBES: Sequence[Mapping[str, Any]] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "maxagent", "version": "0"},
        },
    },
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
_REFUSALS = (401, 403)
_ACCEPTED = {"Accept": ", ".join(("application/json", "text/event-stream"))}


class Browser(Protocol):
    """How the user gets to a page, and the redirected address back to us."""

    async def show(self, address: str) -> None:
        """Show the address, and open it if there is a browser."""
        ...

    async def read_redirect(self) -> str | None:
        """Return the redirected address that the user gives; None: it comes to our port."""
        ...


@dataclass(frozen=True)
class LoginResult:
    """What a login came to."""

    issuer: str
    """Empty: the server asked for none."""
    scope: str = ""


async def log_in(server: RemoteServer, home: Path, browser: Browser) -> LoginResult:
    """Log in to the server and store its tokens; raises LoginError."""
    if any(name.lower() == "authorization" for name in server.headers):
        raise LoginError(
            text("`{name}` has an `Authorization` header in its entry", name=server.name),
            hint="remove the header to log in instead",
        )
    stored = read_login(home, server)
    async with open_client(server) as client:
        answer = await _probe(client, server)
        issuer = await discover(client, server.url, answer, stored.issuer if stored else "")
        if answer.status_code not in _REFUSALS and not issuer.resource:
            return LoginResult("")
        issuer = _widen_scope(issuer, stored)
        state = secrets.token_urlsafe(32)
        async with _open_callback(server, stored, state) as callback:
            login = await choose_client(client, server, issuer, stored, callback.redirect_uri)
            login = await _authorize(client, server, issuer, login, state, callback, browser)
    update_login(home, server, lambda _: login)
    return LoginResult(login.issuer, login.scope)


async def log_out(server: RemoteServer, home: Path) -> str | None:
    """Forget the login, and end it at the server if that is possible; raises nothing for its end.

    Return why the server could not be told, empty if it was; None: there was no login.
    """
    login = read_login(home, server)
    if login is None:
        return None
    update_login(home, server, lambda _: None)
    if not (login.access_token or login.refresh_token):
        return ""
    if not login.revocation_endpoint:
        return text("{issuer} does not support revoking logins", issuer=login.issuer)
    try:
        async with open_client(server) as client:
            response = await client.send(build_revocation(login))
            if response.status_code == 400:
                # servers of the Python SDK want the field for the secret in any case
                response = await client.send(build_revocation(login, with_secret=True))
    except httpx2.HTTPError as error:
        return str(error) or type(error).__name__
    return "" if response.is_success else describe_refusal(response)


@asynccontextmanager
async def open_client(server: RemoteServer) -> AsyncGenerator[httpx2.AsyncClient]:
    """Yield a client for requests of a login; its network errors become LoginError."""
    try:
        async with network.open_client(
            _LIMITS, timeout=REQUEST_SECONDS, check=network.AddressCheck(server.url)
        ) as client:
            yield client
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        if isinstance(error, httpx2.TransportError):
            reason = f"{error.request.url.host}: {reason}"
        raise LoginError(
            text("the login to `{name}` failed: {reason}", name=server.name, reason=reason),
            hint=find_hint(error) or "check the network and the server's address",
        ) from error


async def _probe(client: httpx2.AsyncClient, server: RemoteServer) -> httpx2.Response:
    """Return the server's refusal of a request without a token; else its last answer."""
    answer = await _post(client, server, _PROBES[0])
    for message in _PROBES[1:]:
        if answer.status_code in _REFUSALS:
            break
        answer = await _post(client, server, message)
    return answer


async def _post(
    client: httpx2.AsyncClient, server: RemoteServer, message: Mapping[str, Any]
) -> httpx2.Response:
    """Return the answer without its body, which may never end."""
    headers = {**server.headers, **_ACCEPTED}
    async with client.stream("POST", server.url, json=message, headers=headers) as response:
        return response


def _widen_scope(issuer: AuthorizationServer, stored: ServerLogin | None) -> AuthorizationServer:
    """Add what was granted before and asked for since, so that more rights lose none."""
    if not stored or not stored.wanted_scope:
        return issuer
    scope = union_scopes(union_scopes(stored.scope, stored.wanted_scope), issuer.scope)
    return replace(issuer, scope=scope or "")


def _choose_port(server: RemoteServer, stored: ServerLogin | None) -> int:
    """Return the port of the redirect: the configured one, else the one that was registered."""
    configured = server.oauth.get("callback_port", "")
    if configured:
        if not configured.isdigit() or not 0 < int(configured) < 65536:
            raise LoginError(text("`callback_port` of `{name}` is not a port", name=server.name))
        return int(configured)
    return (urlsplit(stored.redirect_uri).port or 0) if stored else 0


@asynccontextmanager
async def _open_callback(
    server: RemoteServer, stored: ServerLogin | None, state: str
) -> AsyncGenerator[LoopbackCallback]:
    """Wait for the redirect; raises LoginError if the port is busy that the server must send to."""
    port = _choose_port(server, stored)
    async with AsyncExitStack() as stack:
        listening = LoopbackCallback(state, port, is_fixed="callback_port" in server.oauth)
        try:
            callback = await stack.enter_async_context(listening)
        except OSError as error:
            raise LoginError(
                text("port {port} for the redirect is in use", port=port),
                hint="end the program that uses it; it may be another login",
            ) from error
        yield callback


async def _authorize(
    client: httpx2.AsyncClient,
    server: RemoteServer,
    issuer: AuthorizationServer,
    login: ServerLogin,
    state: str,
    callback: LoopbackCallback,
    browser: Browser,
) -> ServerLogin:
    """Return the login with the tokens that the user's consent gives."""
    proof = PKCEParameters.generate()
    await browser.show(_build_address(issuer, login, state, proof.code_challenge))
    code = _read_code(issuer, await _receive(callback, browser), state)
    response = await client.send(build_exchange(login, code, proof.code_verifier))
    try:
        return read_tokens(login, response)
    except LoginError as error:
        if not forgets_client(response):
            raise
        hint = "run `mcode mcp logout {name}`, then log in again: it registers MaxAgent anew"
        raise LoginError(error.message, hint=text(hint, name=server.name)) from error


async def _receive(callback: LoopbackCallback, browser: Browser) -> Mapping[str, str]:
    """Return the parameters of the redirect that comes to our port or is pasted."""
    coming = asyncio.create_task(callback.wait())
    pasting = asyncio.create_task(browser.read_redirect())
    try:
        await asyncio.wait([coming, pasting], return_when=asyncio.FIRST_COMPLETED)
        pasted = None if coming.done() else pasting.result()
        return await coming if pasted is None else read_redirect(pasted)
    finally:
        coming.cancel()
        pasting.cancel()
        await asyncio.wait([coming, pasting])


def _build_address(
    issuer: AuthorizationServer, login: ServerLogin, state: str, challenge: str
) -> str:
    parameters = {
        "response_type": "code",
        "client_id": login.client_id,
        "redirect_uri": login.redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    if login.resource:
        parameters["resource"] = login.resource
    if issuer.scope:
        parameters["scope"] = issuer.scope
        if "offline_access" in issuer.scope.split():
            parameters["prompt"] = "consent"  # OpenID Connect wants it for refresh tokens
    join = "&" if urlsplit(issuer.authorization_endpoint).query else "?"
    return f"{issuer.authorization_endpoint}{join}{urlencode(parameters)}"


def _read_code(issuer: AuthorizationServer, parameters: Mapping[str, str], state: str) -> str:
    """Return the code of a redirect that belongs to this login; raises LoginError."""
    if not secrets.compare_digest(parameters.get("state", "").encode(), state.encode()):
        raise LoginError(
            "the address does not belong to this login",
            hint="paste the whole address that the browser shows after the login",
        )
    try:
        validate_authorization_response_iss(parameters.get("iss"), issuer.metadata)
    except OAuthFlowError:
        raise LoginError(
            text(
                "the login was answered by {other} instead of {issuer}",
                other=parameters.get("iss", "?"),
                issuer=issuer.issuer,
            )
        ) from None
    if code := parameters.get("code"):
        return code
    reason = parameters.get("error_description") or parameters.get("error") or "?"
    raise LoginError(
        text("{issuer} refused the login: {reason}", issuer=issuer.issuer, reason=reason[:200])
    )
