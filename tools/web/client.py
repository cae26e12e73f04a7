"""HTTP client for web pages, which connects only to addresses that were checked.

The host is resolved once, all its addresses must be public, and the connection goes to one of
them, so a second answer of the name server does not count. It uses no proxy, which would resolve
the host itself, and sends no cookies, referrer or keys.
"""

import asyncio
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from ... import __version__
from ...config.network import addresses
from ...config.network.addresses import IP, HostUnknownError, Resolve, is_public
from ...config.network.proxies import NO_PROXIES
from ...config.network.response_limits import ResponseLimits
from ..permissions.url_policy import WebAddress, read_address, resolve_redirect
from ..result import ToolError
from .response_body import MAX_BYTES

if TYPE_CHECKING:
    import httpx2

    from ...config.network.client import AddressCheck

# for the whole request, with redirects
SECONDS = 10.0
# to connect to one of a host's addresses
CONNECT_SECONDS = 3.0
MAX_REDIRECTS = 5
HEADERS = {
    "User-Agent": f"MaxAgent/{__version__} (webfetch)",
    "Accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1",
    "Accept-Encoding": "gzip",
    "Connection": "close",
}

# beyond what is kept: the page ends there, and is no error
_LIMITS = ResponseLimits(2 * MAX_BYTES)
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
    try:
        return await addresses.resolve_host(host, port)
    except HostUnknownError:
        raise ToolError(f"host `{host}` does not exist, or there is no network") from None


async def fetch_page(
    url: str, *, resolve: Resolve = resolve_host, allowed: Allowed = is_public
) -> FetchedPage:
    """Fetch a page and follow redirects on the same host; raise ToolError on failure."""
    from ...config.network.client import AddressCheck

    address, check = read_address(url), AddressCheck(resolve=resolve, is_allowed=allowed)
    try:
        async with asyncio.timeout(SECONDS):
            for _ in range(MAX_REDIRECTS + 1):
                fetched = await _send_request(address, check)
                if not fetched.location:
                    return fetched
                address = resolve_redirect(address, fetched.location)
    except TimeoutError:
        raise ToolError(f"`{address.host}` did not answer completely in {SECONDS:.0f} s") from None
    raise ToolError(f"it redirects more than {MAX_REDIRECTS} times")


async def _send_request(address: WebAddress, check: "AddressCheck") -> FetchedPage:
    """Send a request to the first address that answers."""
    import httpx2

    from ...config.network.client import NetworkTransport, RefusedAddressError

    try:
        async with NetworkTransport(_LIMITS, check=check, proxies=NO_PROXIES) as transport:
            response = await transport.handle_async_request(_build_request(address))
            try:
                return await _read_response(address, response)
            finally:
                await response.aclose()
    except RefusedAddressError:
        raise ToolError(
            f"`{address.host}` is not on the public internet; only public hosts are fetched"
        ) from None
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise _build_connect_error(address, error) from None
    except httpx2.DecodingError as error:
        raise ToolError(f"`{address.netloc}`: {error}") from None
    except httpx2.TransportError as error:
        raise ToolError(
            f"`{address.netloc}` did not answer correctly: {type(error).__name__}"
        ) from None


def _build_request(address: WebAddress) -> "httpx2.Request":
    import httpx2

    try:
        url = httpx2.URL(
            scheme=address.scheme,
            host=address.host,
            port=address.port,
            path=address.path,
            query=quote(address.query, safe=string.punctuation).encode() or None,
        )
    except httpx2.InvalidURL as error:
        raise ToolError(f"`{address.netloc}`: {error}") from None
    extensions = {"timeout": {"connect": CONNECT_SECONDS}}
    return httpx2.Request(
        "GET", url, headers={"Host": address.netloc, **HEADERS}, extensions=extensions
    )


async def _read_response(address: WebAddress, response: "httpx2.Response") -> FetchedPage:
    """Read a page up to its bound; the rest of a longer one is left out."""
    headers = response.headers
    location = headers.get("location", "") if response.is_redirect else ""
    data, is_cut = bytearray(), False
    if not location:
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > MAX_BYTES:
                is_cut = True
                break
    kind = headers.get("content-type", "")
    return FetchedPage(
        address, response.status_code, kind, bytes(data[:MAX_BYTES]), is_cut, location
    )


def _build_connect_error(address: WebAddress, error: Exception) -> ToolError:
    from ...config.network.failures import find_hint

    hint = find_hint(error)
    if hint:
        return ToolError(f"`{address.netloc}`: {error}; {hint}")
    return ToolError(f"`{address.netloc}` could not be reached (webfetch uses no proxy)")
