"""Requests for tokens: a code is exchanged, a token refreshed or revoked."""

import time
from base64 import b64encode
from dataclasses import replace
from typing import cast
from urllib.parse import parse_qsl, quote

import httpx2
from mcp.shared.auth import OAuthToken
from pydantic import ValidationError

from ....config.network.response_limits import read_json
from ....config.security.redaction import redact
from ....config.text import text
from .errors import LoginError
from .storage import ServerLogin

MAX_REASON = 200
_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


def build_exchange(login: ServerLogin, code: str, verifier: str) -> httpx2.Request:
    """Return the request that exchanges the code of an authorization."""
    data = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": login.redirect_uri,
        "code_verifier": verifier,
    }
    return _build_request(login, login.token_endpoint, data)


def build_refresh(login: ServerLogin) -> httpx2.Request:
    """Return the request that renews the access token."""
    data = {"grant_type": "refresh_token", "refresh_token": login.refresh_token}
    if login.scope:  # some give a token for nothing if it is left out; it is what was granted
        data["scope"] = login.scope
    return _build_request(login, login.token_endpoint, data)


def build_revocation(login: ServerLogin, *, with_secret: bool = False) -> httpx2.Request:
    """Return the request that ends the tokens at the server.

    `with_secret`: the secret, even an empty one, is a field of the body in any case.
    """
    kind = "refresh_token" if login.refresh_token else "access_token"
    token = login.refresh_token or login.access_token
    data = {"token": token, "token_type_hint": kind}
    login = replace(login, resource="")
    if with_secret:
        data["client_secret"] = login.client_secret
    return _build_request(login, login.revocation_endpoint, data)


def read_tokens(login: ServerLogin, response: httpx2.Response) -> ServerLogin:
    """Return the login with the tokens of an answer, whose body has been read.

    Raises LoginError. What an answer to a refresh leaves out stays as it was.
    """
    fields = _read_fields(response)
    if response.status_code not in (200, 201) or "access_token" not in fields:
        reason = describe_refusal(response)
        raise LoginError(
            text("{issuer} did not issue a token: {reason}", issuer=login.issuer, reason=reason)
        )
    if isinstance(fields.get("scope"), list):
        fields["scope"] = " ".join(map(str, cast("list[object]", fields["scope"])))
    try:
        token = OAuthToken.model_validate(fields)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise LoginError(
            text(
                "{issuer} answered without a valid token: {field}", issuer=login.issuer, field=name
            )
        ) from None
    seconds = token.expires_in or 0
    ends = time.time() + seconds if seconds > 0 else 0.0
    return replace(
        login,
        access_token=token.access_token,
        refresh_token=token.refresh_token or login.refresh_token,
        scope=login.scope if token.scope is None else token.scope,
        expires_at=ends,
    )


def describe_refusal(response: httpx2.Response) -> str:
    """Return the reason in an answer of OAuth, in a line without secrets."""
    fields = _read_fields(response)
    if reason := fields.get("error_description") or fields.get("error"):
        return " ".join(redact(str(reason)).split())[:MAX_REASON]
    if response.is_success:
        return text("its answer has no token")
    return f"HTTP {response.status_code}"


def is_ended(response: httpx2.Response) -> bool:
    """Return whether an answer to a refresh says that the login is over.

    Some say it with status 200; 429 and errors of the server say nothing about it.
    """
    status = response.status_code
    if status in (200, 201):
        return "error" in _read_fields(response)
    return 400 <= status < 500 and status not in (408, 425, 429)


def forgets_client(response: httpx2.Response) -> bool:
    """Return whether the server does not know the client, as after its own reset."""
    return _read_fields(response).get("error") in ("invalid_client", "unauthorized_client")


def _read_fields(response: httpx2.Response) -> dict[str, object]:
    """Return the fields of an answer, JSON or a form."""
    kind = response.headers.get("content-type", "")
    if kind.startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(response.text))
    try:
        value = read_json(response.content)
    except ValueError:
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _build_request(login: ServerLogin, url: str, data: dict[str, str]) -> httpx2.Request:
    """Return the request with the client's proof of itself."""
    headers = dict(_FORM)
    data["client_id"] = login.client_id
    if login.resource:
        data["resource"] = login.resource
    if login.client_secret and login.auth_method == "client_secret_basic":
        pair = f"{quote(login.client_id, safe='')}:{quote(login.client_secret, safe='')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    elif login.client_secret and login.auth_method == "client_secret_post":
        data["client_secret"] = login.client_secret
    return httpx2.Request("POST", url, data=data, headers=headers)
