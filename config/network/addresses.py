"""Addresses of hosts: which are public, and which a stranger may send us to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

IP = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[list[IP]]]

# IPv4 behind NAT64: the last four bytes are the address
_TRANSLATED = IPv6Network("64:ff9b::/96")
# IANA's special-purpose registries: each Python has another version of them, and treats some as
# global
_SPECIAL_V4 = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24"
    " 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24"
    " 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
    " 168.63.129.16/32"  # no entry of the registry: metadata of a cloud, on a public number
)
# all others are outside `_GLOBAL`
_SPECIAL_V6 = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"
_NOT_FOR_US = (
    *map(IPv4Network, _SPECIAL_V4.split()),
    *map(IPv6Network, _SPECIAL_V6.split()),
)
_GLOBAL = IPv6Network("2000::/3")
# The networks of homes and companies
_PRIVATE = (
    *map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")),
    IPv6Network("fc00::/7"),
)


class HostUnknownError(OSError):
    """No address is known for a host."""


async def resolve_host(host: str, port: int) -> list[IP]:
    """Resolve a host; keep the order of the name server. Raises HostUnknownError."""
    loop = asyncio.get_running_loop()
    try:
        addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise HostUnknownError(host) from None
    return list(dict.fromkeys(ip_address(where[0]) for *_, where in addresses))


def is_public(ip: IP) -> bool:
    """Return whether an IP is public: not of this machine, its network or its cloud."""
    if isinstance(ip, IPv6Address):
        if ip in _TRANSLATED:
            return is_public(IPv4Address(int(ip) & 0xFFFFFFFF))
        if ip not in _GLOBAL:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in net for net in _NOT_FOR_US)


def may_lead_to(named_by: Sequence[IP], targets: Iterable[IP]) -> bool:
    """Return whether a server with these addresses may send us to all the others.

    Each may lead to itself and to the public internet, one of a private network also to that, and
    one of this machine to both. Nothing leads to a cloud's metadata (link-local).
    """
    return all(_may_lead_to(named_by, _unmap(target)) for target in targets)


def _may_lead_to(named_by: Sequence[IP], target: IP) -> bool:
    sources = [_unmap(each) for each in named_by]
    if target in sources or is_public(target):
        return True
    if not sources or any(map(is_public, sources)):
        return False
    if all(each.is_loopback for each in sources):
        return target.is_loopback or _is_private(target)
    return _is_private(target) and all(map(_is_private, sources))


def _is_private(ip: IP) -> bool:
    return any(ip in network for network in _PRIVATE)


def _unmap(ip: IP) -> IP:
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return mapped or ip
