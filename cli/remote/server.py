"""A server of `mcode web`: requests, and the numbered messages of a thread."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Self, cast

import httpx2

from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...config.network.client import LIMITS, open_client
from ...config.network.failures import describe_no_answer, find_hint
from ...config.network.response_limits import ResponseLimits
from ...config.text import text
from ...models.http.sse import EventDecoder
from ...sdk.interrupt_response import OtherQuestionError
from ...sdk.streams.event_stream import HISTORY
from .address import RemoteAddress

Json = dict[str, Any]
ANSWER_LIMITS = ResponseLimits(max_bytes=64_000_000, seconds=120.0, header_seconds=90.0)
STREAM_LIMITS = ResponseLimits(max_event_bytes=16_000_000, header_seconds=30.0)
# Seconds without a byte after which a stream is dead: the server sends a pulse every 15
SILENCE = 45.0
# Seconds for which a lost connection is tried again, and between two tries
PATIENCE, PAUSES = 180.0, (0.1, 0.5, 1.0, 2.0, 5.0)


_ERRORS = {"ThreadBusyError": ThreadBusyError, "OtherQuestionError": OtherQuestionError}


class LostConnectionError(MaxAgentError):
    """The server cannot be reached; what it was doing goes on there."""


class ThreadServer:
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

    async def get(self, path: str, **query: str) -> Json:
        """Return what it answers; raises MaxAgentError."""
        return await self._ask("GET", path, params=query)

    async def post(self, path: str, body: Mapping[str, Any]) -> Json:
        """Send something and return the answer; raises MaxAgentError."""
        return await self._ask("POST", path, json=body)

    async def _ask(self, method: str, path: str, **content: Any) -> Json:
        try:
            response = await self._client.request(method, f"{self.url}{path}", **content)
        except httpx2.HTTPError as error:
            raise self._describe_loss(error) from error
        self._check(response)
        return _read_json(response)

    def _check(self, response: httpx2.Response) -> None:
        """Raise the server's error as the terminal shows one of its own."""
        status = response.status_code
        if status < 300:
            return
        content = _read_json(response).get("error")
        error = cast("Json", content) if isinstance(content, dict) else Json()
        message = str(error.get("message") or text("the server answers {status}", status=status))
        hint = str(error.get("hint") or "")
        if status == 401:
            hint = "`mcode web` prints the token: `MAXAGENT_REMOTE_TOKEN`"
        usual = UsageError if status < 500 else MaxAgentError
        raise _ERRORS.get(str(error.get("kind")), usual)(message, hint=hint)

    async def follow(self, thread_id: str, after: int | None) -> AsyncGenerator[Json]:
        """Yield the messages after that number, over lost connections, each once.

        Without one, the history comes first, then the run that goes on. Later a message of type
        `history` replaces what was missed. Raises LostConnectionError once the server has not been
        reached for long.
        """
        clock, number = asyncio.get_running_loop().time, after
        seen_at, tries = clock(), 0
        while True:
            failure: Exception | None = None
            try:
                async with aclosing(self._read(thread_id, number)) as messages:
                    async for message in messages:
                        number, seen_at, tries = message["meta"]["seq"], clock(), 0
                        yield message
            except (httpx2.HTTPError, _UnavailableError) as error:
                failure = error
            if clock() - seen_at > PATIENCE:
                raise self._describe_loss(failure or _UnavailableError()) from failure
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    async def _read(self, thread_id: str, number: int | None) -> AsyncGenerator[Json]:
        position = {"after": "0"} if number is None else {"since": str(number)}
        async with self._client.stream(
            "GET",
            f"{self.url}/api/threads/{thread_id}/events",
            params=position,
            timeout=httpx2.Timeout(SILENCE, connect=15.0),
            extensions={LIMITS: STREAM_LIMITS},
        ) as response:
            if response.status_code >= 500:  # a proxy says so while the server starts again
                raise _UnavailableError(text("it answers {status}", status=response.status_code))
            if response.status_code >= 300:
                await response.aread()
                self._check(response)
            decoder = EventDecoder()
            async for portion in response.aiter_bytes():
                for data in decoder.feed(portion):
                    message = json.loads(data)
                    if message["type"] == HISTORY or message["meta"]["seq"] > (number or 0):
                        yield message

    def _describe_loss(self, error: Exception) -> LostConnectionError:
        host = httpx2.URL(self.url).host
        return LostConnectionError(
            describe_no_answer(host, error),
            hint=find_hint(error) or "runs go on there; look again with `threads list`",
        )


class _UnavailableError(Exception):
    """The server is not there now."""


def _read_json(response: httpx2.Response) -> Json:
    try:
        content = response.json()
    except ValueError:
        content = None
    if not isinstance(content, dict):
        if response.is_success:
            raise MaxAgentError(
                "the server is not one of `mcode web`", hint="check the address after `--remote`"
            )
        return {}
    return cast("Json", content)
