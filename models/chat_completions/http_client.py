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
from .sse import LONGEST_EVENT

CONNECT_SECONDS = 10.0
KEEP_SECONDS = 55.0
"""How long an idle connection is kept: tools run between two requests; most servers close at 60."""
LATE_SECONDS = 5.0
"""How long to wait for the token counts of an answer that is otherwise complete."""
LONGEST_REFUSAL = 1_000_000
"""Bytes of an error's body that are read."""
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
                for chunk in stream.whole(await self._document(response)):
                    yield chunk
            else:
                async for portion in self._portions(response, stream):
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
            text = await self._refusal_text(response)
            raise refusal(self._asked, response.status_code, text, response.headers)
        if "html" in response.headers.get("content-type", ""):
            raise InvalidRequest(
                f"{self._asked.who} answered with a web page",
                hint="Check the base URL (most end in `/v1`) and any proxy before it",
            )

    async def _document(self, response: httpx.Response) -> str:
        """An answer that is one JSON document; blanks before it are keep-alives."""
        pieces, size, patience = list[bytes](), 0, _Patience(self._read_seconds)
        portions = response.aiter_bytes()
        while portion := await patience.next(portions):
            if portion.strip():
                patience.renew()
            pieces.append(portion)
            size += len(portion)
            if size > LONGEST_EVENT:
                who = self._asked.who
                raise BrokenStream(
                    f"{who} sent an answer of over {LONGEST_EVENT:,} bytes",
                    hint=HINTS[ProviderFault],
                )
        return b"".join(pieces).decode("utf-8", "replace")

    async def _refusal_text(self, response: httpx.Response) -> str:
        """What a refusal says, as far as it comes in time and is of any use."""
        text, patience = bytearray(), _Patience(self._read_seconds)
        portions = response.aiter_bytes()
        while len(text) < LONGEST_REFUSAL and (portion := await patience.next(portions)):
            text += portion
        return text.decode("utf-8", "replace")

    async def _portions(
        self, response: httpx.Response, stream: AnswerStream
    ) -> AsyncIterator[bytes]:
        """The bytes of the answer; once it is complete, silence ends it."""
        portions, patience = response.aiter_bytes(), _Patience(self._read_seconds)
        seen = stream.progress
        while True:
            if stream.progress != seen:
                seen = stream.progress
                patience.renew(_late_seconds(stream))
            try:
                portion = await patience.next(portions)
            except httpx.ReadTimeout:
                if stream.finished:
                    return
                raise
            if not portion:
                return
            yield portion

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


class _Patience:
    """How long to wait for more of an answer: keep-alives do not renew it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clock = asyncio.get_running_loop().time
        self._until = self._clock() + seconds

    def renew(self, seconds: float | None = None) -> None:
        """Wait again, from now on: so many seconds, or as many as at first."""
        self._until = self._clock() + (self._seconds if seconds is None else seconds)

    async def next(self, portions: AsyncIterator[bytes]) -> bytes:
        """The next portion, empty at the end; raises httpx.ReadTimeout as httpx does."""
        try:
            async with asyncio.timeout_at(self._until):
                return await anext(portions, b"")
        except TimeoutError:
            raise httpx.ReadTimeout("silence") from None


def _late_seconds(stream: AnswerStream) -> float | None:
    """Seconds to wait for what may follow a complete answer; None: it is not complete."""
    if stream.said_done:
        return DRAIN_SECONDS
    return LATE_SECONDS if stream.finished else None
