"""Patterns of hosts: `domain:example.org` is that host, `domain:*.example.org` its subdomains."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...config.text import text
from .subject import Subject

_NAME = re.compile(r"(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[?[0-9a-f:.]+\]?")
_FORBIDDEN_CHARACTER = re.compile(r"[\s\\\x00-\x20\x7f]")


@dataclass(frozen=True)
class HostPattern:
    """One host, or all subdomains of a domain."""

    host: str
    below: bool

    def matches_loosely(self, host: Subject) -> bool:
        """Return whether the host matches."""
        return self.matches_strictly(host)

    def matches_strictly(self, host: Subject) -> bool:
        """Return whether the host matches."""
        name = host.names[0]
        return name.endswith("." + self.host) if self.below else name == self.host


def parse_host_pattern(content: str) -> HostPattern:
    """Parse a pattern; raises ValueError if it is not a host."""
    kind, _, name = content.partition(":")
    if kind.strip() != "domain":
        raise ValueError("write a rule for webfetch as `webfetch(domain:example.org)`")
    below = name.strip().startswith("*.")
    host = normalize_host(name.strip().removeprefix("*."))
    if not host:
        raise ValueError(
            text(
                "`{name}` is not a host; `*.example.org` matches all its subdomains",
                name=name.strip(),
            )
        )
    return HostPattern(host, below)


def parse_host(url: object) -> str:
    """Return the host of a URL; empty if another parser could find a different host."""
    if not isinstance(url, str) or _FORBIDDEN_CHARACTER.search(url):
        return ""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return (
        normalize_host(host)
        if parts.scheme in ("http", "https") and "@" not in parts.netloc
        else ""
    )


def normalize_host(name: str) -> str:
    """Return the host in lower case, as it is sent to the name server; empty if it is invalid."""
    try:
        host = name.encode("idna").decode("ascii") if not name.isascii() else name
    except UnicodeError:
        return ""
    host = host.casefold().removesuffix(".")
    return host if _NAME.fullmatch(host) else ""
