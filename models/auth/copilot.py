"""GitHub Copilot: login, short-lived tokens, headers of requests, the account's models."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx2

from ... import __version__
from ...config.errors import UsageError
from ...config.network.client import open_client
from ...config.network.failures import describe_no_answer, find_hint
from ...config.network.response_limits import MAX_JSON_VALUES, ResponseLimits, read_json
from ...config.paths import ensure_data_folder
from ...config.security.file_lock import acquire_file_lock
from ...config.text import text
from ..error_classification import RequestTarget, classify_response
from ..errors import AuthenticationError, ModelCallError, ProviderFaultError
from .access import Access, Initiator
from .copilot_login import PROVIDER, CopilotLogin, build_address, is_safe_address
from .credentials import Credential, read_credentials, update_credential

# The address of requests if no exchange names another
USUAL_URL = "https://api.githubcopilot.com"
# Seconds before its end at which a token is renewed, if it lives long enough
RENEW_SECONDS = 60.0
# Seconds for one answer of GitHub
TIMEOUT = 20.0
LIMITS = ResponseLimits(8_000_000, 3 * TIMEOUT, max_values=MAX_JSON_VALUES)
NO_COPILOT = "this account may have no GitHub Copilot, or not this model: see github.com/settings"
LOGIN_AGAIN = "the login has ended or was revoked: run `mcode auth login copilot` again"
_LOGIN = "run `mcode auth login copilot`"


@dataclass(frozen=True)
class CopilotModel:
    """A model that the account offers."""

    name: str
    context: int | None
    output: int | None
    vision: bool
    can_be_picked: bool


class CopilotAccess:
    """Access to Copilot, with a token that is renewed before it ends: one exchange at a time."""

    hints: Mapping[int, str] = {401: LOGIN_AGAIN, 403: NO_COPILOT}

    def __init__(self, login: CopilotLogin) -> None:
        self._login = login

    async def get_access(self, initiator: Initiator) -> Access:
        """Return address and headers for a request that is sent now."""
        return self._build_access(await open_session(self._login), initiator)

    async def renew_access(self, rejected: Access, initiator: Initiator) -> Access | None:
        """Return access with another token than the rejected one; None if there is none."""
        if not self._login.settings.exchange:
            return None
        session = await open_session(self._login, rejected.headers["Authorization"])
        return self._build_access(session, initiator)

    def _build_access(self, credential: Credential, initiator: Initiator) -> Access:
        url = self._login.base_url or credential.session_url or USUAL_URL
        headers = {
            **build_headers(self._login),
            "Authorization": _format_token("Bearer", credential.session or credential.secret),
            "X-Initiator": initiator,
        }
        return Access(url, headers)


def build_headers(login: CopilotLogin) -> dict[str, str]:
    """Return the headers that name the program."""
    settings = login.settings
    named = {"Copilot-Integration-Id": settings.integration_id} if settings.integration_id else {}
    return {**named, "Editor-Version": settings.editor_version or f"maxagent/{__version__}"}


def open_github_client() -> httpx2.AsyncClient:
    """Open an HTTP client for GitHub."""
    return open_client(LIMITS, headers={"Accept": "application/json"}, timeout=TIMEOUT)


async def open_session(login: CopilotLogin, rejected: str = "") -> Credential:
    """Return the login with a token that is valid now, and is not the rejected one.

    Of several processes one exchanges; the others take its token.
    """
    stored = await asyncio.to_thread(_read_login, login)
    if _is_usable(stored, login, rejected):
        return stored
    folder = await asyncio.to_thread(ensure_data_folder, login.home)
    async with acquire_file_lock(folder / "copilot.lock"):
        stored = await asyncio.to_thread(_read_login, login)
        if _is_usable(stored, login, rejected):
            return stored
        renewed = await exchange_token(login, stored)
        await asyncio.to_thread(_store_session, login, stored.secret, renewed)
        return renewed


async def exchange_token(login: CopilotLogin, stored: Credential) -> Credential:
    """Return the login with a new short-lived token; raises ModelCallError."""
    host = build_address(login.settings.api_host, "copilot.api_host")
    try:
        async with open_github_client() as client:
            response = await client.get(
                f"{host}/copilot_internal/v2/token",
                headers={
                    **build_headers(login),
                    "Authorization": _format_token("token", stored.secret),
                },
            )
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ProviderFaultError(
            describe_no_answer(host, error),
            hint=find_hint(error) or "check the network and `copilot.api_host`",
        ) from error
    if response.status_code != 200:
        raise _build_exchange_error(host, stored, response)
    return _parse_session(host, stored, response)


async def read_account(login: CopilotLogin, token: str) -> str:
    """Return the name of the token's account; empty if GitHub does not say."""
    host = build_address(login.settings.api_host, "copilot.api_host")
    try:
        async with open_github_client() as client:
            response = await client.get(
                f"{host}/user", headers={"Authorization": _format_token("token", token)}
            )
            return str(read_json(response.content).get("login") or "")
    except (httpx2.HTTPError, ValueError, AttributeError):
        return ""


async def list_copilot_models(login: CopilotLogin) -> list[CopilotModel]:
    """Return the models of the account, as Copilot lists them; raises ModelCallError."""
    source = CopilotAccess(login)
    access = await source.get_access("agent")
    try:
        async with open_github_client() as client:
            response = await client.get(f"{access.base_url}/models", headers=access.headers)
            if response.status_code == 401:
                renewed = await source.renew_access(access, "agent") or access
                response = await client.get(f"{renewed.base_url}/models", headers=renewed.headers)
            if response.status_code != 200:
                raise classify_response(_build_target(access.base_url), *_read_error(response))
            rows = cast("list[dict[str, Any]]", read_json(response.content)["data"])
            return [_parse_model(row) for row in rows if row.get("id")]
    except (httpx2.HTTPError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ProviderFaultError(
            text("the models of Copilot could not be read: {error}", error=error),
            hint=find_hint(error) or "try again in a while",
        ) from error


def _read_login(login: CopilotLogin) -> Credential:
    stored = read_credentials(login.home).get(PROVIDER)
    if stored is None:
        raise UsageError("you are not logged in to GitHub Copilot", hint=_LOGIN)
    host = build_address(login.settings.api_host, "copilot.api_host")
    if stored.host and stored.host != host:
        raise UsageError(
            text("the Copilot login is for {old}, not for {new}", old=stored.host, new=host),
            hint=_LOGIN,
        )
    return stored


def _is_usable(stored: Credential, login: CopilotLogin, rejected: str) -> bool:
    if not login.settings.exchange:
        return True
    is_new = _format_token("Bearer", stored.session) != rejected
    return bool(stored.session) and is_new and time.time() < stored.renew_at


def _store_session(login: CopilotLogin, secret: str, renewed: Credential) -> None:
    """Store the token, unless the user has logged out or in again meanwhile."""

    def keep_newer(stored: Credential | None) -> Credential | None:
        return renewed if stored and stored.secret == secret else stored

    update_credential(login.home, PROVIDER, keep_newer)


def _parse_session(host: str, stored: Credential, response: httpx2.Response) -> Credential:
    try:
        value = cast("dict[str, Any]", read_json(response.content))
        token, expires_at = str(value["token"]), float(value["expires_at"])
        endpoints: object = value.get("endpoints")
        address = cast("dict[str, Any]", endpoints).get("api") if endpoints else ""
        refresh_in = float(value.get("refresh_in") or 0)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ProviderFaultError(
            text("{host} answered without a token for Copilot", host=host),
            hint="try again in a while",
        ) from None
    url = str(address or "").rstrip("/")
    if url and not is_safe_address(url):
        raise AuthenticationError(
            text("{host} names an unsafe address for Copilot: {url}", host=host, url=url),
            hint="check `copilot.api_host`",
        )
    now = time.time()
    last_moment = expires_at - min(RENEW_SECONDS, max(0.0, expires_at - now) / 4)
    return replace(
        stored,
        session=token,
        session_url=url,
        expires_at=expires_at,
        renew_at=min(last_moment, now + refresh_in) if refresh_in > 0 else last_moment,
    )


def _build_exchange_error(
    host: str, stored: Credential, response: httpx2.Response
) -> ModelCallError:
    error = classify_response(_build_target(host, stored.secret), *_read_error(response))
    match response.status_code:
        case 401:
            error.hint = LOGIN_AGAIN
        case 403:
            message = text(
                "{first}: {rest}", first="the account has no GitHub Copilot", rest=error.message
            )
            return AuthenticationError(message, hint=NO_COPILOT)
        case 404:
            error.hint = (
                "GitHub does not exchange tokens of this client ID; "
                "`mcode config set copilot.exchange false` sends the token itself"
            )
        case _:
            pass
    return error


def _build_target(url: str, secret: str = "") -> RequestTarget:
    return RequestTarget(PROVIDER, url.partition("://")[2], secret)


def _read_error(response: httpx2.Response) -> tuple[int, str, Mapping[str, str]]:
    return response.status_code, response.text, response.headers


def _parse_model(row: Mapping[str, Any]) -> CopilotModel:
    capabilities: dict[str, Any] = row.get("capabilities") or {}
    limits: dict[str, Any] = capabilities.get("limits") or {}
    supports: dict[str, Any] = capabilities.get("supports") or {}
    return CopilotModel(
        name=str(row["id"]),
        context=_find_smallest(limits, "max_context_window_tokens", "max_prompt_tokens"),
        output=limits.get("max_output_tokens"),
        vision=bool(supports.get("vision")),
        can_be_picked=bool(row.get("model_picker_enabled", True)),
    )


def _find_smallest(limits: Mapping[str, Any], *names: str) -> int | None:
    """Return the limit that binds; a prompt may be allowed less than the window has."""
    tokens = [limits.get(name) for name in names]
    return min((each for each in tokens if isinstance(each, int) and each > 0), default=None)


def _format_token(scheme: str, token: str) -> str:
    return f"{scheme} {token}"
