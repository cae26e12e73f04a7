"""The address of an endpoint: a base URL as people paste it, and what is asked below it."""

import re
from urllib.parse import urlsplit, urlunsplit

# What the pages of providers show behind the base URL
_KNOWN_END = re.compile(
    r"(?:/chat/completions|/responses|(?<=/v1)/(?:messages|completions|models))/*$"
)


def trim_base_url(url: str) -> str:
    """Return the base URL without a path that is asked below it; its query stays.

    Raises ValueError for what is no URL.
    """
    parts = urlsplit(url.strip())
    return urlunsplit(parts._replace(path=_KNOWN_END.sub("", parts.path).rstrip("/")))


def join_address(base_url: str, path: str) -> str:
    """Return the address of a path below the base URL: before its query (`?api-version=…`)."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def show_address(url: str) -> str:
    """Return an address for a message: without login and query, which may hold a key."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
