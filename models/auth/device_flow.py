"""Login by a code that the user enters in a browser: the device flow of RFC 8628."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2

from ...config.network.failures import describe_no_answer, find_hint
from ...config.network.response_limits import read_json
from ...config.text import text
from ..errors import AuthenticationError, ProviderFaultError

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SCOPE = "read:user"
# Seconds that `slow_down` adds to the interval
SLOWER = 5.0
# Seconds between two questions if the server names none
USUAL_INTERVAL = 5.0
_AGAIN = "run `mcode auth login copilot` again"
Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class DeviceCode:
    """The code that the user enters at the address."""

    device_code: str = field(repr=False)
    user_code: str
    address: str
    expires_in: float
    interval: float


async def request_device_code(client: httpx2.AsyncClient, host: str, client_id: str) -> DeviceCode:
    """Ask for a code; `host` is an address such as `https://github.com`."""
    fields = {"client_id": client_id, "scope": SCOPE}
    answer = await _post(client, f"{host}/login/device/code", fields)
    try:
        return DeviceCode(
            device_code=str(answer["device_code"]),
            user_code=str(answer["user_code"]),
            address=str(answer["verification_uri"]),
            expires_in=float(answer["expires_in"]),
            interval=float(answer.get("interval", USUAL_INTERVAL)),
        )
    except (KeyError, ValueError, TypeError):
        raise AuthenticationError(
            text("{host} did not issue a login code: {reason}", host=host, reason=_explain(answer)),
            hint="check `copilot.client_id` and `copilot.host`, and that the app may use the "
            "device flow",
        ) from None


async def wait_for_token(
    client: httpx2.AsyncClient,
    host: str,
    client_id: str,
    code: DeviceCode,
    *,
    pause: Pause = asyncio.sleep,
) -> str:
    """Return the token as soon as the user has entered the code; raises AuthenticationError."""
    fields = {"client_id": client_id, "device_code": code.device_code, "grant_type": GRANT}
    interval, waited = code.interval, 0.0
    while waited < code.expires_in:
        await pause(interval)
        waited += interval
        try:
            answer = await _post(client, f"{host}/login/oauth/access_token", fields)
        except ProviderFaultError:  # the next question may be answered
            continue
        if token := answer.get("access_token"):
            return str(token)
        if answer.get("error") == "slow_down":
            interval += SLOWER
        elif answer.get("error") != "authorization_pending":
            raise _build_refusal(host, answer)
    raise _build_refusal(host, {"error": "expired_token"})


def _build_refusal(host: str, answer: Mapping[str, Any]) -> AuthenticationError:
    match answer.get("error"):
        case "expired_token":
            return AuthenticationError("the code has expired before it was entered", hint=_AGAIN)
        case "access_denied":
            return AuthenticationError("the login was denied in the browser", hint=_AGAIN)
        case _:
            message = text("{host} ended the login: {reason}", host=host, reason=_explain(answer))
            return AuthenticationError(message, hint=_AGAIN)


async def _post(
    client: httpx2.AsyncClient, url: str, fields: Mapping[str, str]
) -> Mapping[str, Any]:
    """Return the JSON of the answer; errors of the flow come with any status."""
    try:
        response = await client.post(url, data=fields, headers={"Accept": "application/json"})
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ProviderFaultError(
            describe_no_answer(url, error),
            hint=find_hint(error) or "check the network and `copilot.host`",
        ) from error
    try:
        value = read_json(response.content)
    except ValueError:
        raise ProviderFaultError(
            text("{url} answered {status} without JSON", url=url, status=response.status_code),
            hint="check `copilot.host` and any proxy before it",
        ) from None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _explain(answer: Mapping[str, Any]) -> str:
    return str(answer.get("error_description") or answer.get("error") or "no reason given")
