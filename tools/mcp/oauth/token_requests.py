"""Requests for tokens: a code is exchanged, a token refreshed or revoked."""

import time
from base64 import b64encode
from dataclasses import replace
from typing import cast
from urllib.parse import quote

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
    if response.status_code not in (200, 201):
        reason = describe_refusal(response)
        raise LoginError(
            text("{issuer} did not issue a token: {reason}", issuer=login.issuer, reason=reason)
        )
    try:
        token = OAuthToken.model_validate_json(response.content)
    except ValidationError:
        raise LoginError(
            text("{issuer} answered without a valid token", issuer=login.issuer)
        ) from None
    ends = time.time() + token.expires_in if token.expires_in else 0.0
    return replace(
        login,
        access_token=token.access_token,
        refresh_token=token.refresh_token or login.refresh_token,
        scope=login.scope if token.scope is None else token.scope,
        expires_at=ends,
    )


def describe_refusal(response: httpx2.Response) -> str:
    """Return the reason in an answer of OAuth, in a line without secrets."""
    try:
        value = read_json(response.content)
    except ValueError:
        value = None
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        if reason := fields.get("error_description") or fields.get("error"):
            return " ".join(redact(str(reason)).split())[:MAX_REASON]
    return f"HTTP {response.status_code}"


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
