"""Which addresses may be fetched: http and https, no user's name in them, public hosts only."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import unquote, urljoin, urlsplit

from ...config.security.redaction import redact
from ..result import ToolError
from .host_pattern import parse_host

IP = IPv4Address | IPv6Address

# Characters of an address; what is longer carries data away rather than naming a page
LONGEST = 2_000
_NUMBER = re.compile(r"0x[0-9a-f]*|\d+")
# IPv4 behind NAT64: the last four bytes are the address
_TRANSLATED = IPv6Network("64:ff9b::/96")
# IANA's special-purpose registries: each Python knows another date of them, and calls some global
_SPECIAL_V4 = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24"
    " 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24"
    " 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
    " 168.63.129.16/32"  # no entry of the registry: metadata of a cloud, on a public number
)
# all others lie outside of `_GLOBAL`
_SPECIAL_V6 = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"
_NOT_FOR_US = (
    *map(IPv4Network, _SPECIAL_V4.split()),
    *map(IPv6Network, _SPECIAL_V6.split()),
)
_GLOBAL = IPv6Network("2000::/3")
# Names that no public name server knows
_OF_OUR_OWN = re.compile(r"(.*\.)?(localhost|local|internal|home\.arpa)")


@dataclass(frozen=True)
class WebAddress:
    """An address that is understood in one way only."""

    scheme: str
    host: str
    """In lower case, a foreign name as punycode, no dot at its end."""
    port: int | None
    path: str
    query: str

    def __str__(self) -> str:
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.netloc}{self.path}{query}"

    @property
    def netloc(self) -> str:
        """Host and port, as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def read_address(url: str) -> WebAddress:
    """Understand an address; raises ToolError for one that is not fetched, saying why."""
    host = parse_host(url)
    if not host:
        raise ToolError(
            "`url` must be a full address such as https://example.org/page, without user name, "
            "spaces or backslashes"
        )
    if len(url) > LONGEST:
        raise ToolError(f"the address is longer than {LONGEST:,} characters")
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
    """Raises ToolError for a host that by its very name is of this machine or its network."""
    try:
        public = is_public(ip_address(address.host))
    except ValueError:
        public = not _OF_OUR_OWN.fullmatch(address.host)
    if not public:
        raise ToolError(
            f"`{address.host}` is not on the public internet; only public hosts can be fetched"
        )


def resolve_redirect(here: WebAddress, location: str) -> WebAddress:
    """Where a redirect leads; raises ToolError where it may not be followed unasked."""
    there = read_address(urljoin(str(here), location))
    if here.scheme == "https" and there.scheme == "http":
        raise ToolError(f"it redirects from https to http, to {there}; not followed")
    if there.host != here.host:
        raise ToolError(
            f"it redirects to another host, which must be approved: call webfetch with {there}"
        )
    return there


def is_public(ip: IP) -> bool:
    """Whether it is of the open internet: not of this machine, its network or its cloud."""
    if isinstance(ip, IPv6Address):
        if ip in _TRANSLATED:
            return is_public(IPv4Address(int(ip) & 0xFFFFFFFF))
        if ip not in _GLOBAL:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in net for net in _NOT_FOR_US)


def _refuse_unusual_number(host: str, *, must_be_one: bool) -> None:
    """Numbers are spelled in one way: `127.1`, `0x7f000001` and `017700000001` name hosts, too."""
    if must_be_one or ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            ip_address(host)
        except ValueError:
            raise ToolError(f"`{host}` is not a standard IP address") from None
