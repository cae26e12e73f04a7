"""The connection to a server: requests, streams, and how long a lost one is tried again."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Self, cast

import httpx2

from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...config.network.client import LIMITS, open_client
from ...config.network.failures import describe_no_answer, find_hint
from ...config.network.response_limits import ResponseLimits
from ...config.text import text
from ...sdk.interrupt_response import OtherQuestionError
from .address import RemoteAddress

Json = dict[str, Any]
ANSWER_LIMITS = ResponseLimits(max_bytes=64_000_000, seconds=120.0, header_seconds=90.0)
STREAM_LIMITS = ResponseLimits(max_event_bytes=16_000_000, header_seconds=30.0)
# Seconds without a byte after which a stream is dead: servers send a pulse every 15 or sooner
SILENCE = 45.0
# Seconds for which a lost connection is tried again, and between two tries
PATIENCE, PAUSES = 180.0, (0.1, 0.5, 1.0, 2.0, 5.0)
_ERRORS = {"ThreadBusyError": ThreadBusyError, "OtherQuestionError": OtherQuestionError}


class LostConnectionError(MaxAgentError):
    """The server cannot be reached; what it was doing goes on there."""


class UnavailableError(Exception):
    """A proxy says that the server is not there now."""


_UNREACHABLE = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
LOSSES = (httpx2.HTTPError, UnavailableError)


class ServerConnection:
    """Asks one server; its client is open while the `async with` is."""

    def __init__(self, address: RemoteAddress) -> None:
        self.url = address.url
        headers = {"Authorization": f"Bearer {address.token}", "Mcode-Language": "en"}
        self._client = open_client(
            ANSWER_LIMITS, headers=headers, timeout=httpx2.Timeout(90.0, connect=15.0)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, method: str, path: str, **content: Any) -> Any:
        """Return the JSON that it answers; raises MaxAgentError."""
        response = await self._request(method, f"{self.url}{path}", **content)
        _check(response)
        try:
            return response.json()
        except ValueError as error:
            raise MaxAgentError(
                "the server answers something else than JSON",
                hint="check the address after `--remote`",
            ) from error

    async def has(self, path: str) -> bool:
        """Return whether the server has that page; raises MaxAgentError if there is none."""
        return (await self._request("GET", f"{self.url}{path}")).is_success

    async def _request(self, method: str, url: str, **content: Any) -> httpx2.Response:
        """Send a request; one that only reads is sent again if its answer was cut off."""
        for pause in (*PAUSES, None) if method == "GET" else (None,):
            try:
                return await self._client.request(method, url, **content)
            except httpx2.HTTPError as error:
                if pause is None or isinstance(error, _UNREACHABLE):
                    raise self.describe_loss(error) from error
                await asyncio.sleep(pause)
        raise AssertionError  # the last try returns or raises

    async def stream(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[bytes]:
        """Yield what it sends, as it arrives; raises one of `LOSSES`."""
        async with self._client.stream(
            "GET",
            f"{self.url}{path}",
            params=dict(query or {}),
            headers=dict(headers or {}),
            timeout=httpx2.Timeout(SILENCE, connect=15.0),
            extensions={LIMITS: STREAM_LIMITS},
        ) as response:
            if response.status_code >= 500:
                raise UnavailableError(text("it answers {status}", status=response.status_code))
            if not response.is_success:
                await response.aread()
                _check(response)
            async for portion in response.aiter_bytes():
                yield portion

    def describe_loss(self, error: Exception) -> LostConnectionError:
        """Return the error of a server that cannot be reached."""
        host = httpx2.URL(self.url).host
        return LostConnectionError(
            describe_no_answer(host, error),
            hint=find_hint(error) or "runs go on there; look again with `threads list`",
        )


class Reconnection:
    """How often and how long a lost stream is opened again."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection, self._clock = connection, asyncio.get_running_loop().time
        self._failure: Exception | None = None
        self.note_life()

    def note_life(self) -> None:
        """Begin anew: the server has sent something."""
        self._alive_at, self._tries = self._clock(), 0

    def note_loss(self, error: Exception) -> None:
        """Keep why the stream has ended."""
        self._failure = error

    async def wait(self) -> None:
        """Wait until the next try; raises LostConnectionError once it was long enough."""
        if self._clock() - self._alive_at > PATIENCE:
            raise self._connection.describe_loss(self._failure or UnavailableError())
        await asyncio.sleep(PAUSES[min(self._tries, len(PAUSES) - 1)])
        self._tries += 1


def _check(response: httpx2.Response) -> None:
    """Raise the server's error as the terminal shows one of its own."""
    status = response.status_code
    if status < 300:
        return
    error = _read_error(response)
    message = str(error.get("message") or text("the server answers {status}", status=status))
    hint = str(error.get("hint") or "")
    if status == 401:
        hint = "`mcode web` prints the token: `MAXAGENT_REMOTE_TOKEN`"
    usual = UsageError if status < 500 else MaxAgentError
    raise _ERRORS.get(str(error.get("kind")), usual)(message, hint=hint)


def _read_error(response: httpx2.Response) -> Json:
    """Return the error of an answer, as our servers or LangGraph's send it."""
    try:
        content = response.json()
    except ValueError:
        return {}
    if not isinstance(content, dict):
        return {}
    answer = cast("Json", content)
    error = answer.get("error")
    return cast("Json", error) if isinstance(error, dict) else {"message": answer.get("detail")}
