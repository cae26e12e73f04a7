"""HTTP client for web pages, which connects only to addresses that were checked.

The host is resolved once, all its addresses must be public, and the connection goes to one of
them, so a second answer of the name server does not count. It uses no proxy, which would resolve
the host itself, and sends no cookies, referrer or keys.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from ... import __version__
from ..permissions.url_policy import IP, WebAddress, is_public, read_address, resolve_redirect
from ..result import ToolError
from .response_body import ResponseBody

if TYPE_CHECKING:
    import httpx

# for the whole request, with redirects
SECONDS = 10.0
# to connect to one of a host's addresses
CONNECT_SECONDS = 3.0
MAX_REDIRECTS = 5
MAX_ADDRESSES = 4
HEADERS = {
    "User-Agent": f"MaxAgent/{__version__} (webfetch)",
    "Accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}

Resolve = Callable[[str, int], Awaitable[list[IP]]]
Allowed = Callable[[IP], bool]


@dataclass(frozen=True)
class FetchedPage:
    """The response of a server, after all redirects."""

    address: WebAddress
    status: int
    content_type: str
    data: bytes
    cut: bool
    """Whether the page is longer."""
    location: str = ""


async def resolve_host(host: str, port: int) -> list[IP]:
    """Resolve a host; keep the order of the name server."""
    loop = asyncio.get_running_loop()
    try:
        addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ToolError(f"host `{host}` does not exist, or there is no network") from None
    return list(dict.fromkeys(ip_address(where[0]) for *_, where in addresses))


async def fetch_page(
    url: str, *, resolve: Resolve = resolve_host, allowed: Allowed = is_public
) -> FetchedPage:
    """Fetch a page and follow redirects on the same host; raise ToolError on failure."""
    address = read_address(url)
    try:
        async with asyncio.timeout(SECONDS):
            for _ in range(MAX_REDIRECTS + 1):
                fetched = await _send_request(
                    address, await _resolve_allowed(address, resolve, allowed)
                )
                if not fetched.location:
                    return fetched
                address = resolve_redirect(address, fetched.location)
    except TimeoutError:
        raise ToolError(f"`{address.host}` did not answer completely in {SECONDS:.0f} s") from None
    raise ToolError(f"it redirects more than {MAX_REDIRECTS} times")


async def _resolve_allowed(address: WebAddress, resolve: Resolve, allowed: Allowed) -> list[IP]:
    """Resolve the host; raise ToolError if one of its addresses is not public."""
    port = address.port or (443 if address.scheme == "https" else 80)
    addresses = await resolve(address.host, port)
    if not addresses or not all(map(allowed, addresses)):
        raise ToolError(
            f"`{address.host}` is not on the public internet; only public hosts are fetched"
        )
    return addresses


async def _send_request(address: WebAddress, numbers: list[IP]) -> FetchedPage:
    """Send a request to the first address that answers."""
    import httpx

    async with httpx.AsyncHTTPTransport(trust_env=False) as transport:
        for number in numbers[:MAX_ADDRESSES]:
            try:
                response = await transport.handle_async_request(_build_request(address, number))
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
            except httpx.TransportError as error:
                raise _make_error(address, error) from None
            try:
                return await _read_response(address, response)
            except httpx.TransportError as error:
                raise _make_error(address, error) from None
            finally:
                await response.aclose()
    raise ToolError(f"`{address.netloc}` could not be reached (webfetch uses no proxy)")


def _build_request(address: WebAddress, number: IP) -> "httpx.Request":
    # sent to the checked address, in the name of the host: the certificate must be the host's, too
    import httpx

    query = address.query.encode() or None
    url = httpx.URL(
        scheme=address.scheme,
        host=str(number),
        port=address.port,
        path=address.path,
        query=query,
    )
    extensions = {"sni_hostname": address.host, "timeout": {"connect": CONNECT_SECONDS}}
    return httpx.Request(
        "GET", url, headers={"Host": address.netloc, **HEADERS}, extensions=extensions
    )


async def _read_response(address: WebAddress, response: "httpx.Response") -> FetchedPage:
    headers = response.headers
    location = headers.get("location", "") if response.is_redirect else ""
    body = ResponseBody(headers.get("content-encoding", ""))
    if not location:
        async for piece in response.aiter_raw():
            if not body.add_chunk(piece):
                break
    kind = headers.get("content-type", "")
    return FetchedPage(address, response.status_code, kind, bytes(body.data), body.cut, location)


def _make_error(address: WebAddress, error: Exception) -> ToolError:
    return ToolError(f"`{address.netloc}` did not answer correctly: {type(error).__name__}")
