"""URLs that may be fetched: http and https, without a user name, public hosts only."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import unquote, urljoin, urlsplit

from ...config.network.addresses import is_public
from ...config.security.redaction import redact
from ..result import ToolError
from .host_pattern import parse_host

# Most characters of a URL; a longer one sends data out rather than naming a page
MAX_URL_LENGTH = 2_000
_NUMBER = re.compile(r"0x[0-9a-f]*|\d+")
# Names that no public name server knows
_OF_OUR_OWN = re.compile(r"(.*\.)?(localhost|local|internal|home\.arpa)")


@dataclass(frozen=True)
class WebAddress:
    """A URL with a single interpretation."""

    scheme: str
    host: str
    """In lower case, an international name as punycode, without a trailing dot."""
    port: int | None
    path: str
    query: str

    def __str__(self) -> str:
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.netloc}{self.path}{query}"

    @property
    def netloc(self) -> str:
        """Host and port, as in the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def read_address(url: str) -> WebAddress:
    """Parse a URL; raises ToolError with the reason if it may not be fetched."""
    host = parse_host(url)
    if not host:
        raise ToolError(
            "`url` must be a full address such as https://example.org/page, without user name, "
            "spaces or backslashes"
        )
    if re.search(r"[\ud800-\udfff]", url):
        raise ToolError("the address has half of a character; write it whole, or as `%` and digits")
    if len(url) > MAX_URL_LENGTH:
        raise ToolError(f"the address is longer than {MAX_URL_LENGTH:,} characters")
    if redact(url) != url or redact(plain := unquote(url)) != plain:
        raise ToolError("the address contains a secret, which must not leave this machine")
    parts = urlsplit(url)
    _refuse_unusual_number(host, must_be_one="[" in parts.netloc)
    try:
        port = parts.port
    except ValueError:
        raise ToolError("the port must be at most 65535") from None
    return WebAddress(parts.scheme, host, port, parts.path or "/", parts.query)


def refuse_own_network(address: WebAddress) -> None:
    """Raise ToolError for a host whose name belongs to this machine or its network."""
    try:
        public = is_public(ip_address(address.host))
    except ValueError:
        public = not _OF_OUR_OWN.fullmatch(address.host)
    if not public:
        raise ToolError(
            f"`{address.host}` is not on the public internet; only public hosts can be fetched"
        )


def resolve_redirect(here: WebAddress, location: str) -> WebAddress:
    """Return the target of a redirect; raises ToolError if it may not be followed unasked."""
    there = read_address(urljoin(str(here), location))
    if here.scheme == "https" and there.scheme == "http":
        raise ToolError(f"it redirects from https to http, to {there}; not followed")
    if there.host != here.host:
        raise ToolError(
            f"it redirects to another host, which must be approved: call webfetch with {there}"
        )
    return there


def _refuse_unusual_number(host: str, *, must_be_one: bool) -> None:
    """Raise ToolError for an unusual number: `127.1`, `0x7f000001` and `017700000001` are hosts."""
    if must_be_one or ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            ip_address(host)
        except ValueError:
            raise ToolError(f"`{host}` is not a standard IP address") from None
