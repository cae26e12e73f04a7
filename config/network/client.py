"""The one HTTP client of everything that leaves.

It reads proxies and certificates itself, bounds every answer, and checks the addresses that a
stranger has named at the moment of the connection. Loading HTTPX takes 0.1 s, so import late.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import httpx2

from ... import __version__
from ..errors import UsageError
from ..settings.policy_file import load_managed_policy
from ..text import text
from .addresses import IP, HostUnknownError, Resolve, is_public, may_lead_to, resolve_host
from .certificates import build_empty_context, load_tls_context
from .failures import choose_hint, describe_failure
from .probe import find_cause
from .proxies import Proxy, ProxySettings, load_proxies
from .response_limits import (
    ACCEPTED_ENCODINGS,
    DamagedResponseError,
    LimitedBody,
    ResponseLimitError,
    ResponseLimits,
)

CONNECT_SECONDS = 10.0
# The extension of a request that has bounds of its own
LIMITS = "maxagent_limits"
# Addresses of a checked host that are tried
MAX_ADDRESSES = 4
# Seconds to keep an idle connection: tools run between two requests; most servers close at 60
KEEP_SECONDS = 55.0
_LOCAL_NAMES = (".local", ".internal", ".lan", ".home", ".home.arpa", ".intranet", ".corp")
_CONNECT_ERRORS = (
    httpx2.NetworkError,
    httpx2.ProtocolError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class RefusedResponseError(httpx2.DecodingError):
    """An answer is beyond its bounds; the rest of it is not read."""


class RefusedAddressError(httpx2.ConnectError):
    """A host is where the one who named it may not send us; nothing was sent."""


@dataclass(frozen=True)
class AddressCheck:
    """Which hosts may be reached, by their addresses at the moment of the connection."""

    named_by: str = ""
    """URL of the server that names the others; empty: only public hosts may be reached."""
    resolve: Resolve = resolve_host
    is_allowed: Callable[[IP], bool] = is_public
    """Whether an address may be reached, if nobody named it."""


class NetworkTransport(httpx2.AsyncBaseTransport):
    """Sends requests directly or through a proxy, and bounds the answers."""

    def __init__(
        self,
        limits: ResponseLimits,
        *,
        check: AddressCheck | None = None,
        proxies: ProxySettings | None = None,
        keep_seconds: float = KEEP_SECONDS,
    ) -> None:
        self._limits, self._check = limits, check
        self._proxies = load_proxies() if proxies is None else proxies
        self._keep_seconds = keep_seconds
        self._routes: dict[tuple[Proxy | None, bool], httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request; raises httpx2.TransportError and its kinds."""
        url, limits = request.url, request.extensions.get(LIMITS, self._limits)
        clock = asyncio.get_running_loop().time
        until = None if limits.seconds is None else clock() + limits.seconds
        headers_until = until if limits.header_seconds is None else clock() + limits.header_seconds
        proxy = self._proxies.find_proxy(url.scheme, _get_host(url), url.port)
        _check_policy(request, proxy)
        try:
            async with asyncio.timeout_at(headers_until):
                response = await self._send(request, proxy)
        except TimeoutError:
            raise httpx2.ReadTimeout("the answer does not begin", request=request) from None
        if proxy and response.status_code == 407:
            await response.aclose()
            raise _build_login_error(request, proxy)
        return _bound_response(request, response, limits, until)

    async def aclose(self) -> None:
        """Close all connections."""
        routes, self._routes = self._routes, {}
        for route in routes.values():
            await route.aclose()

    async def _send(self, request: httpx2.Request, proxy: Proxy | None) -> httpx2.Response:
        try:
            addresses = await self._find_addresses(request.url, proxy)
            route = self._open_route(request.url, proxy)
            if addresses is None:
                return await _handle(route, request, proxy)
            return await _send_to_first(route, request, addresses)
        except (ssl.SSLError, *_CONNECT_ERRORS) as error:
            is_direct = proxy is None and self._check is None
            cause = await find_cause(request.url, error) if is_direct else error
            # HTTPCore passes on an SSLError that comes after the handshake
            kind = type(cause) if isinstance(cause, httpx2.TransportError) else httpx2.ReadError
            failure = kind(describe_failure(cause, proxy), request=request)
            vars(failure)["network_hint"] = choose_hint(cause, proxy)
            raise failure from cause

    def _open_route(self, url: httpx2.URL, proxy: Proxy | None) -> httpx2.AsyncHTTPTransport:
        is_safe = url.scheme == "https"
        route = self._routes.get((proxy, is_safe))
        if route is None:
            route = self._routes[proxy, is_safe] = httpx2.AsyncHTTPTransport(
                verify=load_tls_context() if is_safe else build_empty_context(),
                trust_env=False,
                limits=httpx2.Limits(
                    max_connections=100,
                    max_keepalive_connections=20,
                    keepalive_expiry=self._keep_seconds,
                ),
                proxy=_build_proxy(proxy) if proxy else None,
            )
        return route

    async def _find_addresses(self, url: httpx2.URL, proxy: Proxy | None) -> list[IP] | None:
        """Return the checked addresses to connect to; None: the host itself, by its name."""
        check = self._check
        if check is None:
            return None
        named_by = httpx2.URL(check.named_by) if check.named_by else None
        if named_by and _unite(named_by) == _unite(url):
            return None
        try:
            targets = await check.resolve(_get_host(url), _get_port(url))
        except HostUnknownError:
            if proxy and _is_left_to_proxy(_get_host(url)):
                return None
            raise httpx2.ConnectError(
                text("host `{host}` does not exist, or there is no network", host=url.host)
            ) from None
        await self._check_targets(url, targets, check, named_by)
        return None if proxy else targets[:MAX_ADDRESSES]

    async def _check_targets(
        self, url: httpx2.URL, targets: list[IP], check: AddressCheck, named_by: httpx2.URL | None
    ) -> None:
        if named_by is None:
            if not targets or not all(map(check.is_allowed, targets)):
                raise RefusedAddressError(
                    text("`{host}` is not on the public internet", host=url.host)
                )
            return
        try:
            sources = await check.resolve(_get_host(named_by), _get_port(named_by))
        except HostUnknownError:  # only a proxy knows it: it counts as public
            sources = []
        if not targets or not may_lead_to(sources, targets):
            raise RefusedAddressError(
                text(
                    "`{host}` is on a network where {source} may not send us",
                    host=url.host,
                    source=named_by.host,
                )
            )


def _build_login_error(request: httpx2.Request, proxy: Proxy) -> httpx2.ProxyError:
    error = httpx2.ProxyError("407 Proxy Authentication Required", request=request)
    failure = httpx2.ProxyError(describe_failure(error, proxy), request=request)
    vars(failure)["network_hint"] = choose_hint(error, proxy)
    return failure


def _check_policy(request: httpx2.Request, proxy: Proxy | None) -> None:
    """Raise RefusedAddressError for a host, or a proxy, that an administrator does not allow."""
    try:
        policy = load_managed_policy()
    except UsageError as error:
        raise RefusedAddressError(error.message, request=request) from error
    hosts = [_get_host(request.url), *([proxy.host] if proxy else [])] if policy else []
    for host in hosts:
        if policy and (reason := policy.explain_refused_host(host)):
            raise RefusedAddressError(reason, request=request)


def open_client(
    limits: ResponseLimits,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: httpx2.Timeout | float = CONNECT_SECONDS,
    check: AddressCheck | None = None,
    follow_redirects: bool = False,
) -> httpx2.AsyncClient:
    """Open a client; each of its answers stays within the limits."""
    return httpx2.AsyncClient(
        headers={**build_usual_headers(), **(headers or {})},
        timeout=timeout,
        transport=NetworkTransport(limits, check=check),
        follow_redirects=follow_redirects,
        trust_env=False,
    )


def build_usual_headers() -> dict[str, str]:
    """Return the headers of every request."""
    return {"User-Agent": f"maxagent/{__version__}", "Accept-Encoding": ACCEPTED_ENCODINGS}


class _BoundedStream(httpx2.AsyncByteStream):
    """The body of an answer, decoded within its bounds."""

    def __init__(
        self,
        request: httpx2.Request,
        stream: httpx2.AsyncByteStream,
        body: LimitedBody,
        until: float | None,
    ) -> None:
        self._request, self._stream, self._body, self._until = request, stream, body, until

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        parts = aiter(self._stream)
        while piece := await self._read_chunk(parts):
            try:
                for part in self._body.decode(piece):
                    yield part
            except ResponseLimitError as error:
                await self.aclose()
                raise _refuse(self._request, error) from None
            except DamagedResponseError as error:
                await self.aclose()
                raise httpx2.DecodingError(str(error), request=self._request) from None

    async def _read_chunk(self, pieces: AsyncIterator[bytes]) -> bytes:
        try:
            async with asyncio.timeout_at(self._until):
                return await anext(pieces, b"")
        except TimeoutError:
            await self.aclose()
            raise httpx2.ReadTimeout("the answer does not end", request=self._request) from None
        except ssl.SSLError as error:
            raise httpx2.ReadError(describe_failure(error, None), request=self._request) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


def _bound_response(
    request: httpx2.Request,
    response: httpx2.Response,
    limits: ResponseLimits,
    until: float | None,
) -> httpx2.Response:
    """Return the answer with a body that is decoded within the bounds."""
    headers = response.headers
    is_events = headers.get("content-type", "").lower().startswith("text/event-stream")
    stream = cast("httpx2.AsyncByteStream", response.stream)
    try:
        body = LimitedBody(headers.get("content-encoding", ""), limits, is_events=is_events)
    except ResponseLimitError as error:
        stream = _RefusedStream(request, stream, error)
    else:
        stream = _BoundedStream(request, stream, body, until)
    decoded = ("content-encoding", "content-length") if "content-encoding" in headers else ()
    retained = [(key, value) for key, value in headers.raw if key.lower().decode() not in decoded]
    return httpx2.Response(
        response.status_code, headers=retained, stream=stream, extensions=response.extensions
    )


class _RefusedStream(httpx2.AsyncByteStream):
    """A body that is not read; status and headers of its answer are."""

    def __init__(
        self, request: httpx2.Request, stream: httpx2.AsyncByteStream, error: ResponseLimitError
    ) -> None:
        self._request, self._stream, self._error = request, stream, error

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        await self.aclose()
        raise _refuse(self._request, self._error)
        yield b""

    async def aclose(self) -> None:
        await self._stream.aclose()


def _refuse(request: httpx2.Request, error: ResponseLimitError) -> RefusedResponseError:
    words = text("the answer was not read: {reason}", reason=str(error))
    return RefusedResponseError(words, request=request)


async def _handle(
    route: httpx2.AsyncHTTPTransport, request: httpx2.Request, proxy: Proxy | None
) -> httpx2.Response:
    if proxy is None or proxy.scheme != "socks5":
        return await route.handle_async_request(request)
    from socksio.exceptions import SOCKSError

    opened: list[Any] = []  # httpcore's streams

    async def note_stream(event: str, info: Mapping[str, Any]) -> None:
        if event == "socks.connect_tcp.complete":
            opened.append(info["return_value"])
            deadline.reschedule(asyncio.get_running_loop().time() + CONNECT_SECONDS)
        elif event == "socks.setup_socks5_connection.complete":
            opened.clear()
            deadline.reschedule(None)

    request.extensions["trace"] = note_stream
    deadline = asyncio.timeout(None)
    try:
        async with deadline:
            return await route.handle_async_request(request)
    except (SOCKSError, AssertionError, LookupError, ValueError) as error:
        raise httpx2.ProxyError(text("it does not answer like a SOCKS proxy")) from error
    except (TimeoutError, httpx2.TimeoutException) as error:
        if opened:
            raise httpx2.ProxyError(text("it does not answer like a SOCKS proxy")) from error
        raise
    finally:
        for stream in opened:  # httpcore leaves a refused one open
            await stream.aclose()


async def _send_to_first(
    route: httpx2.AsyncHTTPTransport, request: httpx2.Request, addresses: Iterable[IP]
) -> httpx2.Response:
    """Send to the first address that takes the connection."""
    failure: httpx2.TransportError = httpx2.ConnectError(text("no address could be reached"))
    for address in addresses:
        try:
            return await route.handle_async_request(_address_request(request, address))
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure = error
    raise failure


def _address_request(request: httpx2.Request, address: IP) -> httpx2.Request:
    # sent to the checked address, in the name of the host: the certificate must be the host's, too
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": _get_host(request.url)},
    )


def _build_proxy(proxy: Proxy) -> httpx2.Proxy:
    return httpx2.Proxy(
        proxy.address,
        auth=(proxy.username, proxy.password) if proxy.username or proxy.password else None,
        ssl_context=load_tls_context() if proxy.scheme == "https" else None,
    )


def _is_left_to_proxy(host: str) -> bool:
    """Return whether a proxy may resolve a host that we cannot: not a name of a local network."""
    name = host.lower().rstrip(".")
    return "." in name and not name.endswith(_LOCAL_NAMES)


def _unite(url: httpx2.URL) -> tuple[str, int]:
    return _get_host(url), _get_port(url)


def _get_host(url: httpx2.URL) -> str:
    """Return the host as it is on the wire: an international name as punycode."""
    return url.raw_host.decode("ascii")


def _get_port(url: httpx2.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)
