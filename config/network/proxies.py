"""Proxies that the environment names, and the one for an address."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from ..text import text
from .variables import UnreadVariable, read_variable

# A host or domain, with `*` for any characters
_NAME = re.compile(r"[\w.*-]+")
_BRACKETED = re.compile(r"\[([^\]]*)\](/\d+)?(?::(\d+))?")
_BY_THE_DOT = "<local>"
"""Windows' word for names without a dot."""
_NAMES = ("all_proxy", "http_proxy", "https_proxy", "no_proxy")
PROXY_VARIABLES = (*_NAMES, *map(str.upper, _NAMES))
ProxyScheme = Literal["http", "https", "socks5"]
_SCHEMES: Mapping[str, tuple[ProxyScheme, int]] = {
    "http": ("http", 80),
    "https": ("https", 443),
    "socks": ("socks5", 1080),  # GNOME's word for it
    "socks5": ("socks5", 1080),
    "socks5h": ("socks5", 1080),
}
_HOST = re.compile(r"[^\s/\\?#@:%<>\"'`]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%25\w+)?")


@dataclass(frozen=True)
class ProxyException:
    """One entry: a domain with all below it, a pattern, or a network; perhaps one port only."""

    name: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None
    scheme: str = ""

    def covers(self, scheme: str, host: str, port: int) -> bool:
        """Return whether an address is reached without the proxy."""
        if (self.scheme and self.scheme != scheme) or (self.port and self.port != port):
            return False
        name = host.lower().strip("[]").rstrip(".")
        address = _parse_address(name)
        if self.network is not None:
            return address is not None and address in self.network
        if self.name == _BY_THE_DOT:
            return address is None and "." not in name
        if "*" in self.name:
            return fnmatchcase(name, self.name)
        return name == self.name or (address is None and name.endswith(f".{self.name}"))


def parse_exceptions(value: str) -> tuple[list[ProxyException], list[str]]:
    """Return the entries, and those that cannot be read; commas or blanks divide them."""
    exceptions: list[ProxyException] = []
    wrong: list[str] = []
    for entry in re.split(r"[,;|\s]+", value):
        if not entry:
            continue
        try:
            exceptions.append(_parse_entry(entry))
        except ValueError:
            wrong.append(entry)
    return exceptions, wrong


def _parse_entry(entry: str) -> ProxyException:
    """Parse one entry; raises ValueError."""
    scheme, divider, rest = entry.lower().rpartition("://")
    if divider and scheme not in ("http", "https", "all"):
        raise ValueError
    scheme = "" if scheme == "all" else scheme
    rest = rest.rstrip("/")
    if rest == _BY_THE_DOT:
        return ProxyException(_BY_THE_DOT, scheme=scheme)
    if bracketed := _BRACKETED.fullmatch(rest):
        network = ip_network(bracketed[1].partition("%")[0] + (bracketed[2] or ""), strict=False)
        return ProxyException(network=network, port=_parse_port(bracketed[3]), scheme=scheme)
    if "/" in rest or rest.count(":") > 1:
        return ProxyException(
            network=ip_network(rest.partition("%")[0], strict=False), scheme=scheme
        )
    name, _, port = rest.partition(":")
    if address := _parse_address(name):
        return ProxyException(network=ip_network(address), port=_parse_port(port), scheme=scheme)
    return _parse_name(name, _parse_port(port), scheme)


def _parse_name(name: str, port: int | None, scheme: str) -> ProxyException:
    """Parse a domain: `example.org`, `.example.org` and `*.example.org` mean the same."""
    if name != "*":
        name = name.removeprefix("*").strip(".") if name.startswith("*.") else name.strip(".")
    if not name.isascii():
        name = name.encode("idna").decode()
    if not _NAME.fullmatch(name):
        raise ValueError
    return ProxyException(name, port=port, scheme=scheme)


def _parse_port(value: str | None) -> int | None:
    if not value:
        return None
    if not value.isdigit() or not 0 < int(value) < 65536:
        raise ValueError
    return int(value)


def _parse_address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@dataclass(frozen=True)
class Proxy:
    """A proxy, and the variable that names it."""

    variable: str
    scheme: ProxyScheme
    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """Its address without the login, for requests and for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True)
class ProxySettings:
    """What the environment says of proxies; what cannot be read is in `unread`."""

    for_http: Proxy | None = None
    for_https: Proxy | None = None
    exceptions: tuple[ProxyException, ...] = ()
    unread: tuple[UnreadVariable, ...] = ()

    def find_proxy(self, scheme: str, host: str, port: int | None = None) -> Proxy | None:
        """Return the proxy for requests to an address; never one for this machine."""
        proxy = self.for_https if scheme == "https" else self.for_http
        if proxy is None or is_this_machine(host):
            return None
        real_port = port or (443 if scheme == "https" else 80)
        if any(each.covers(scheme, host, real_port) for each in self.exceptions):
            return None
        return proxy


NO_PROXIES = ProxySettings()


def load_proxies() -> ProxySettings:
    """Return the proxies of this process's environment."""
    return _read_once(tuple((name, os.environ.get(name, "")) for name in PROXY_VARIABLES))


@cache
def _read_once(variables: tuple[tuple[str, str], ...]) -> ProxySettings:
    return read_proxies(dict(variables))


def read_proxies(environ: Mapping[str, str]) -> ProxySettings:
    """Read the variables; a lower-case name goes before the upper-case one, as in curl."""
    unread: list[UnreadVariable] = []
    general = _read_proxy(environ, "all_proxy", unread)
    for_http = _read_proxy(environ, "http_proxy", unread) or general
    for_https = _read_proxy(environ, "https_proxy", unread) or general
    exceptions: list[ProxyException] = []
    for name, value in _iter_values(environ, "no_proxy"):
        exceptions, wrong = parse_exceptions(value)
        if wrong:
            reason = text("`{entry}` is not a host or network", entry="`, `".join(wrong))
            unread.append(UnreadVariable(name, reason))
        break
    return ProxySettings(for_http, for_https, tuple(exceptions), tuple(unread))


def parse_proxy(variable: str, value: str) -> Proxy:
    """Parse an address such as `http://user:password@host:3128`; raises ValueError."""
    address = value if "://" in value else f"http://{value}"
    has_login = "@" in value
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise ValueError(_explain_unreadable(has_login=has_login)) from None
    known = _SCHEMES.get(parts.scheme.lower())
    if known is None:
        raise ValueError(
            text("`{scheme}://` is not a known kind of proxy", scheme=parts.scheme[:20])
        )
    host = parts.hostname or ""
    if not _HOST.fullmatch(host) or port == 0 or "\\" in parts.netloc:
        raise ValueError(_explain_unreadable(has_login=has_login))
    scheme, usual_port = known
    return Proxy(variable, scheme, host, port or usual_port, *_read_login(parts))


def _explain_unreadable(*, has_login: bool) -> str:
    if has_login:
        return text("write special characters of its login as codes, `%40` for `@`")
    return text("its port or host cannot be read")


def is_this_machine(host: str) -> bool:
    """Return whether a host is this machine by its name or number."""
    from ipaddress import IPv6Address, ip_address

    name = host.lower().strip("[]").rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return ip.is_loopback or ip.is_unspecified


def _read_login(parts: SplitResult) -> tuple[str, str]:
    return unquote(parts.username or ""), unquote(parts.password or "")


def _read_proxy(
    environ: Mapping[str, str], name: str, unread: list[UnreadVariable]
) -> Proxy | None:
    for found, value in _iter_values(environ, name):
        try:
            return parse_proxy(found, value)
        except ValueError as error:
            unread.append(UnreadVariable(found, str(error)))
    return None


def _iter_values(environ: Mapping[str, str], name: str) -> Iterator[tuple[str, str]]:
    """Yield the variable in lower and upper case, if it is not blank."""
    for each in (name, name.upper()):
        if value := read_variable(environ, each):
            yield each, value
