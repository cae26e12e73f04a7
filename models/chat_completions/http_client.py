"""One endpoint over HTTP: request in, message chunks out, every way to fail a `ModelFailure`."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import httpx
from langchain_core.messages import AIMessageChunk

from ... import __version__
from ..error_classification import HINTS, Asked, refusal
from ..errors import BrokenStream, InvalidRequest, ModelFailure, ProviderFault
from ..resolver import ResolvedModel
from .response_stream import AnswerStream

CONNECT_SECONDS = 10.0
KEEP_SECONDS = 55.0
"""How long an idle connection is kept: tools run between two requests; most servers close at 60."""
LATE_SECONDS = 5.0
"""How long to wait for the token counts of an answer that is otherwise complete."""
DRAIN_SECONDS = 1.0
"""How long to wait for the formal end of a complete answer, so that its connection can be kept."""


class Connection:
    """Asks; never retries. The HTTP client is made at the first request and kept."""

    def __init__(self, resolved: ResolvedModel, read_seconds: float) -> None:
        self._resolved = resolved
        self._read_seconds = read_seconds
        self._asked = Asked(resolved.model, resolved.host, resolved.api_key)
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close what is open; the next request opens it again."""
        client, self._client = self._client, None
        if client:
            await client.aclose()

    async def answer(self, request: bytes) -> AsyncIterator[AIMessageChunk]:
        """The chunks of the answer to one request."""
        stream = AnswerStream(self._asked, self._resolved.provider.name)
        async with self._posted(request, stream) as response:
            if "json" in response.headers.get("content-type", ""):
                for chunk in stream.whole((await response.aread()).decode("utf-8", "replace")):
                    yield chunk
            else:
                async for portion in _portions(response, stream):
                    for chunk in stream.feed(portion):
                        yield chunk
        for chunk in stream.close():
            yield chunk

    @asynccontextmanager
    async def _posted(self, request: bytes, stream: AnswerStream) -> AsyncGenerator[httpx.Response]:
        """The open answer; an end that is not formal does not hurt a complete one."""
        url = f"{self._resolved.base_url}/chat/completions"
        try:
            async with self._opened().stream("POST", url, content=request) as response:
                await self._check(response)
                yield response
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if not stream.finished:
                raise self._failure(error) from error

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            key = self._resolved.api_key
            self._client = httpx.AsyncClient(
                headers={
                    "User-Agent": f"maxagent/{__version__}",
                    "Content-Type": "application/json",
                    "Accept": "text/event-stream, application/json",
                    **({"Authorization": f"Bearer {key}"} if key else {}),
                },
                timeout=httpx.Timeout(self._read_seconds, connect=CONNECT_SECONDS),
                limits=httpx.Limits(keepalive_expiry=KEEP_SECONDS),
            )
        return self._client

    async def _check(self, response: httpx.Response) -> None:
        """Raise unless this is the beginning of an answer."""
        if response.status_code != 200:
            text = (await response.aread()).decode("utf-8", "replace")
            raise refusal(self._asked, response.status_code, text, response.headers)
        if "html" in response.headers.get("content-type", ""):
            raise InvalidRequest(
                f"{self._asked.who} answered with a web page",
                hint="Check the base URL (most end in `/v1`) and any proxy before it",
            )

    def _failure(self, error: Exception) -> ModelFailure:
        who, words = self._asked.who, self._asked.quote(str(error) or type(error).__name__)
        if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
            what = f"{who} could not be reached within {CONNECT_SECONDS:g} s"
            return ProviderFault(what, hint="Check the network and the base URL")
        if isinstance(error, httpx.TimeoutException):
            what = f"{who} was silent for {self._read_seconds:g} s"
            return ProviderFault(what, hint=HINTS[ProviderFault])
        if isinstance(error, httpx.ConnectError | httpx.ProxyError):
            hint = "Check the network, the base URL and whether the server runs"
            return ProviderFault(f"{who} could not be reached: {words}", hint=hint)
        if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
            return InvalidRequest(f"{who}: {words}", hint="Check the base URL")
        return BrokenStream(f"{who} broke off: {words}", hint=HINTS[ProviderFault])


async def _portions(response: httpx.Response, stream: AnswerStream) -> AsyncIterator[bytes]:
    """The bytes of the answer; once it is complete, silence ends it."""
    portions = response.aiter_bytes()
    while True:
        try:
            async with asyncio.timeout(_patience(stream)):
                portion = await anext(portions, b"")
        except TimeoutError:
            return
        if not portion:
            return
        yield portion


def _patience(stream: AnswerStream) -> float | None:
    """Seconds to wait for more; None: as long as the client's own time limit."""
    if stream.said_done:
        return DRAIN_SECONDS
    return LATE_SECONDS if stream.finished else None
