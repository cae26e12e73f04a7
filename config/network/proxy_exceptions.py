"""`NO_PROXY`: hosts and networks that are reached without the proxy (pure)."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

# A host or domain, with `*` for any characters
_NAME = re.compile(r"[\w.*-]+")
_BRACKETED = re.compile(r"\[([^\]]*)\](/\d+)?(?::(\d+))?")
_BY_THE_DOT = "<local>"
"""Windows' word for names without a dot."""


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
