"""The address of an endpoint: a base URL as people paste it, and what is asked below it."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit

from ..config.network.variables import clean_value

# What the pages of providers show behind the base URL
_KNOWN_END = re.compile(
    r"(?:/chat/completions|/responses|(?<=/v1)/(?:messages|completions|models|embeddings|chat))/*$",
    re.IGNORECASE,
)
# A host with a port or a dot: an address whose scheme was left out
_WITHOUT_SCHEME = re.compile(
    r"(?:[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d)|localhost|\[[\da-fA-F:]+\])(?![^/:?])"
)
_LOCAL_NAMES = (".local", ".internal", ".lan", ".localhost", ".home.arpa")


def trim_base_url(pasted: str) -> str:
    """Return the base URL that was meant: no quotes, no path that is asked below it; its query.

    Without a scheme it is `http://` in a local network, else `https://`. Raises ValueError for
    what is no address of a web server.
    """
    url = clean_value(pasted)
    if _WITHOUT_SCHEME.match(url):
        url = f"{'http' if _is_local(url) else 'https'}://{url}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError
    if any(char.isspace() for char in url):
        raise ValueError
    path = _KNOWN_END.sub("", parts.path).rstrip("/")
    return urlunsplit(parts._replace(path=path, fragment=""))


def is_address_of(pasted: str, base_url: str) -> bool:
    """Return whether that base URL was pasted."""
    try:
        return trim_base_url(pasted) == base_url
    except ValueError:
        return False


def _is_local(url: str) -> bool:
    host = urlsplit(f"//{url}").hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def join_address(base_url: str, path: str) -> str:
    """Return the address of a path below the base URL: before its query (`?api-version=…`)."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def show_address(url: str) -> str:
    """Return an address for a message: without login and query, which may hold a key."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
