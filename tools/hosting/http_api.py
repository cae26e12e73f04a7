"""Requests to a host's API; failed requests raise errors for the user."""

from collections.abc import Mapping
from typing import Any, cast

import httpx2

from ...config.errors import MaxAgentError
from ...config.network.client import AddressCheck, open_client
from ...config.network.failures import describe_no_answer, find_hint
from ...config.network.response_limits import MAX_JSON_VALUES, ResponseLimits, read_json
from ...config.security.redaction import redact
from ...config.text import text

TIMEOUT = 30.0
# A page of a long pull request's answer has some 3 MB
LIMITS = ResponseLimits(16_000_000, 4 * TIMEOUT, max_values=MAX_JSON_VALUES)
# Characters of a host's answer that an error quotes
MAX_QUOTED = 300
_HINTS: Mapping[int, str] = {
    401: "the token is invalid or has expired; log in again",
    403: "the token does not allow this; it needs write access to pull requests",
    404: "check the remote's address, and that the token can access the repository",
}


class HostingError(MaxAgentError):
    """The host returned an error, or could not be reached."""

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class HttpApi:
    """A client for JSON over HTTP."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.url = url
        self._client = open_client(
            LIMITS,
            headers=headers,
            timeout=TIMEOUT,
            check=AddressCheck(url),
            follow_redirects=True,  # for renamed repositories; another host gets no token
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def get(self, path: str, **params: str | int) -> Any:
        """Return the answer's JSON; raises HostingError."""
        return await self._send("GET", path, params=params)

    async def post(self, path: str, fields: Mapping[str, Any]) -> Any:
        """Send fields and return the answer's JSON; raises HostingError."""
        return await self._send("POST", path, json=dict(fields))

    async def _send(self, method: str, path: str, **options: Any) -> Any:
        try:
            response = await self._client.request(method, f"{self.url}{path}", **options)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise HostingError(
                describe_no_answer(self.url, error),
                hint=find_hint(error) or "check the network, then run it again with `mcode resume`",
            ) from error
        if response.is_success:
            try:
                return read_json(response.content)
            except ValueError:
                raise self._build_error(response, "the answer is not JSON") from None
        raise self._build_error(response, _read_reason(response))

    def _build_error(self, response: httpx2.Response, reason: str) -> HostingError:
        status = response.status_code
        return HostingError(
            text(
                "{url} answered {status}: {reason}",
                url=self.url,
                status=status,
                reason=redact(reason)[:MAX_QUOTED],
            ),
            hint=_HINTS.get(status, ""),
            status=status,
        )


def read_object(value: Any) -> dict[str, Any]:
    """Return a JSON object; raises HostingError for anything else."""
    if not isinstance(value, dict):
        raise HostingError("the host's answer has an unknown format")
    return cast("dict[str, Any]", value)


def read_objects(value: Any) -> list[dict[str, Any]]:
    """Return a list of JSON objects; raises HostingError for anything else."""
    if not isinstance(value, list):
        raise HostingError("the host's answer has an unknown format")
    return [read_object(item) for item in cast("list[Any]", value)]


def _read_reason(response: httpx2.Response) -> str:
    """Return the reason of an error: `message`, and the messages of GitHub's `errors`."""
    try:
        body = read_json(response.content)
    except ValueError:
        return response.reason_phrase
    if not isinstance(body, dict):
        return response.reason_phrase
    fields = cast("dict[str, Any]", body)
    errors = fields.get("errors")
    details = [
        str(cast("dict[str, Any]", error).get("message") or "")
        for error in (cast("list[Any]", errors) if isinstance(errors, list) else [])
        if isinstance(error, dict)
    ]
    message = fields.get("message") or fields.get("error") or response.reason_phrase
    return "; ".join(filter(None, [str(message), *details]))
