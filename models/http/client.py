"""HTTP client of one endpoint: request in, message chunks out, every failure a `ModelCallError`."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus

import httpx2
from langchain_core.messages import AIMessageChunk

from ...config.network.client import (
    CONNECT_SECONDS,
    NetworkTransport,
    RefusedResponseError,
    build_usual_headers,
)
from ...config.network.failures import find_hint, find_page_hint, is_lasting
from ...config.network.response_limits import MAX_JSON_VALUES, ResponseLimits
from ...config.text import text
from ..address import join_address, show_address
from ..auth.access import Access, AccessSource
from ..error_classification import HINTS, classify_response
from ..errors import BrokenStreamError, InvalidRequestError, ModelCallError, ProviderFaultError
from ..providers import explain_unreachable
from ..resolver import ResolvedModel
from .answer_stream import AnswerStream
from .dialect import Dialect, RequestOptions
from .sse import MAX_EVENT_BYTES

# Bytes of a whole answer, far more than the longest: an event has some 400 bytes for one token
MAX_ANSWER_BYTES = 64_000_000
# Seconds for a whole answer: a slow model on this machine may need hours
MAX_ANSWER_SECONDS = 6 * 3600.0
# Seconds to send a request, beyond those to connect and to wait
UPLOAD_SECONDS = 60.0
# Seconds to wait for the token counts of an otherwise complete answer
LATE_SECONDS = 5.0
# Bytes of an error's body that are read
MAX_ERROR_BYTES = 1_000_000
# Seconds to wait for the formal end of a complete answer, so that its connection can be reused
DRAIN_SECONDS = 1.0
USUAL_OPTIONS = RequestOptions()
_logger = logging.getLogger(__name__)


class EndpointClient:
    """Sends requests; never retries. The HTTP client is created at the first request and kept."""

    def __init__(
        self, resolved: ResolvedModel, dialect: Dialect, source: AccessSource | None = None
    ) -> None:
        """`source` names address and headers of each request, if they change."""
        self._resolved = resolved
        self._dialect = dialect
        self._source = source
        self._target = resolved.target
        self._client: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        """Close the connections; the next request opens them again."""
        client, self._client = self._client, None
        if client:
            await client.aclose()

    async def stream_answer(
        self, request: bytes, options: RequestOptions = USUAL_OPTIONS
    ) -> AsyncIterator[AIMessageChunk]:
        """Yield the chunks of the answer to one request."""
        stream = AnswerStream(self._target, self._dialect.open_parser())
        async with self._post_request(request, options, stream) as response:
            if "json" in response.headers.get("content-type", ""):
                for chunk in stream.feed_document(await self._read_document(response)):
                    yield chunk
            else:
                async for portion in self._read_portions(response, stream):
                    for chunk in stream.feed(portion):
                        yield chunk
        for chunk in stream.close():
            yield chunk

    @asynccontextmanager
    async def _post_request(
        self, request: bytes, options: RequestOptions, stream: AnswerStream
    ) -> AsyncGenerator[httpx2.Response]:
        """Yield the open answer; a complete one may lack its formal end."""
        access = await self._open_access(options)
        try:
            async with AsyncExitStack() as opened:
                response = await self._send_request(request, access, opened)
                if renewed := await self._renew_access(response, access):
                    await opened.aclose()
                    response = await self._send_request(request, renewed, opened)
                await self._check_response(response)
                yield response
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            if not stream.is_finished:
                raise self._to_model_error(error) from error

    async def _open_access(self, options: RequestOptions) -> Access:
        if self._source:
            return await self._source.get_access(options.initiator)
        return Access(self._resolved.base_url)

    async def _renew_access(self, response: httpx2.Response, rejected: Access) -> Access | None:
        """Return another access after status 401, for the same message: it is billed once."""
        if response.status_code != 401 or self._source is None:
            return None
        return await self._source.renew_access(rejected, "agent")

    async def _send_request(
        self, request: bytes, access: Access, opened: AsyncExitStack
    ) -> httpx2.Response:
        url = join_address(access.base_url, self._dialect.path)
        response = await opened.enter_async_context(
            self._open_client().stream("POST", url, content=request, headers=access.headers)
        )
        _logger.info(
            "model %s at %s: %d bytes sent, status %d",
            self._resolved.model,
            self._resolved.host,
            len(request),
            response.status_code,
        )
        return response

    def _open_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            # no redirect is followed
            self._client = httpx2.AsyncClient(
                headers={
                    **build_usual_headers(),
                    "Content-Type": "application/json",
                    "Accept": "text/event-stream, application/json",
                    **self._dialect.build_headers(),
                    **self._resolved.provider.headers,
                    **self._resolved.extra_headers,
                },
                timeout=httpx2.Timeout(self._resolved.read_seconds, connect=CONNECT_SECONDS),
                transport=NetworkTransport(build_limits(self._resolved.read_seconds)),
                trust_env=False,
            )
        return self._client

    async def _check_response(self, response: httpx2.Response) -> None:
        """Raise ModelCallError for an error answer."""
        if response.status_code != 200:
            content = await self._read_error_text(response)
            error = classify_response(self._target, response.status_code, content, response.headers)
            error.hint = find_page_hint(content) or _explain_address(response) or error.hint
            if self._source:
                error.hint = self._source.hints.get(response.status_code, error.hint)
            raise error
        if "html" in response.headers.get("content-type", ""):
            raise InvalidRequestError(
                text("{label} answered with a web page", label=self._target.label),
                hint="check the base URL (most end in `/v1`), any proxy before it, and whether "
                "this network wants a login in the browser first",
            )

    async def _read_document(self, response: httpx2.Response) -> str:
        """Read an answer that is one JSON document; blanks before it are keep-alives."""
        parts, size, patience = list[bytes](), 0, _ReadDeadline(self._resolved.read_seconds)
        portions = response.aiter_bytes()
        while portion := await patience.read_next(portions):
            if portion.strip():
                patience.renew()
            parts.append(portion)
            size += len(portion)
            if size > MAX_EVENT_BYTES:
                provider = self._target.label
                raise BrokenStreamError(
                    text(
                        "{who} sent an answer of over {longest_event} bytes",
                        who=provider,
                        longest_event=f"{MAX_EVENT_BYTES:,}",
                    ),
                    hint=HINTS[ProviderFaultError],
                )
        return b"".join(parts).decode("utf-8", "replace")

    async def _read_error_text(self, response: httpx2.Response) -> str:
        """Return the text of an error answer, if it arrives in time and is useful."""
        text, patience = bytearray(), _ReadDeadline(self._resolved.read_seconds)
        portions = response.aiter_bytes()
        try:
            while len(text) < MAX_ERROR_BYTES and (portion := await patience.read_next(portions)):
                text += portion
        except RefusedResponseError as error:  # the status says more
            return text.decode("utf-8", "replace").strip() or str(error)
        return text.decode("utf-8", "replace")

    async def _read_portions(
        self, response: httpx2.Response, stream: AnswerStream
    ) -> AsyncIterator[bytes]:
        """Yield the bytes of the answer; once it is complete, a pause ends it."""
        portions, patience = response.aiter_bytes(), _ReadDeadline(self._resolved.read_seconds)
        seen = stream.progress
        while True:
            if stream.progress != seen:
                seen = stream.progress
                patience.renew(_get_late_timeout(stream))
            try:
                portion = await patience.read_next(portions)
            except httpx2.ReadTimeout:
                if stream.is_finished:
                    return
                raise
            if not portion:
                return
            yield portion

    def _to_model_error(self, error: Exception) -> ModelCallError:
        provider, words = self._target.label, self._target.quote(str(error) or type(error).__name__)
        if isinstance(error, RefusedResponseError):
            return BrokenStreamError(
                text("{first}: {rest}", first=provider, rest=words),
                hint=HINTS[ProviderFaultError],
                retryable=False,
            )
        if isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout):
            message = text(
                "{who} could not be reached within {connect_seconds} s",
                who=provider,
                connect_seconds=f"{CONNECT_SECONDS:g}",
            )
            if hint := find_hint(error):
                message = text("{first}: {rest}", first=message, rest=words)
            return ProviderFaultError(message, hint=hint or "check the network and the base URL")
        if isinstance(error, httpx2.TimeoutException):
            message = text(
                "{who} was silent for {read_seconds} s",
                who=provider,
                read_seconds=f"{self._resolved.read_seconds:g}",
            )
            return ProviderFaultError(message, hint=HINTS[ProviderFaultError])
        if isinstance(error, httpx2.ConnectError | httpx2.ProxyError):
            return ProviderFaultError(
                text("{who} could not be reached: {words}", who=provider, words=words),
                hint=find_hint(error) or explain_unreachable(self._resolved.provider),
                retryable=not is_lasting(error),
            )
        if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
            return InvalidRequestError(
                text("{first}: {rest}", first=provider, rest=words),
                hint=find_hint(error) or "check the base URL",
            )
        return BrokenStreamError(
            text("{who} broke off: {words}", who=provider, words=words),
            hint=find_hint(error) or HINTS[ProviderFaultError],
            retryable=not is_lasting(error),
        )


class _ReadDeadline:
    """Time limit for more of an answer; keep-alives do not extend it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clock = asyncio.get_running_loop().time
        self._until = self._clock() + seconds

    def renew(self, seconds: float | None = None) -> None:
        """Restart the wait with that many seconds; default: the initial number."""
        self._until = self._clock() + (self._seconds if seconds is None else seconds)

    async def read_next(self, portions: AsyncIterator[bytes]) -> bytes:
        """Return the next portion, empty at the end; raises httpx2.ReadTimeout as httpx does."""
        try:
            async with asyncio.timeout_at(self._until):
                return await anext(portions, b"")
        except TimeoutError:
            raise httpx2.ReadTimeout("silence") from None


def build_limits(read_seconds: float) -> ResponseLimits:
    """Return the bounds on an answer of a model whose longest silence is this."""
    return ResponseLimits(
        max_bytes=MAX_ANSWER_BYTES,
        seconds=MAX_ANSWER_SECONDS,
        header_seconds=CONNECT_SECONDS + UPLOAD_SECONDS + read_seconds,
        max_values=MAX_JSON_VALUES,
    )


def _get_late_timeout(stream: AnswerStream) -> float | None:
    """Return seconds to wait for data after a complete answer; None: it is incomplete."""
    if stream.said_done:
        return DRAIN_SECONDS
    return LATE_SECONDS if stream.is_finished else None


def _explain_address(response: httpx2.Response) -> str:
    """Return a hint that names the address where that is probably what is wrong; else empty."""
    asked, status = show_address(str(response.url)), response.status_code
    if status == HTTPStatus.NOT_FOUND:
        return text(
            "asked was {asked}; check the model's name and the base URL (most end in `/v1`)",
            asked=asked,
        )
    target = response.headers.get("location", "")
    if 300 <= status < 400 and target:
        location = response.url.join(target)
        there = show_address(str(location))
        if location.host != response.url.host:
            return text(
                "{asked} redirects to {there}; set the base URL to where it leads, or log in to "
                "this network in the browser if that is its page",
                asked=asked,
                there=there,
            )
        return text(
            "{asked} redirects to {there}; set the base URL to where it leads",
            asked=asked,
            there=there,
        )
    return ""
