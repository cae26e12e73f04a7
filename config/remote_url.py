"""The parts of a remote repository's URL: `https://host/path`, or `user@host:path`."""

import re
from typing import NamedTuple

from .errors import UsageError
from .text import text

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(?:[^/\s]*@)?([^@/:\s]*)(?::(\d*))?/(.*)", re.IGNORECASE)
# a slash before the colon makes it a local path
_SCP_LIKE = re.compile(r"()(?:[^@/:\s]+@)?([^/:\s]+)():(?!//)(.+)")
# what follows a colon is no port
_PASSWORD = re.compile(r"://[^/\[?#]*:(?!\d*(?:[/,?#]|$))|[?&]password=", re.IGNORECASE)


class RemoteUrl(NamedTuple):
    """The parts of a URL; those that it does not have are empty."""

    scheme: str
    """In lower case; empty: `user@host:path`, which means SSH."""
    host: str
    """In lower case."""
    port: str
    path: str


def split_remote_url(url: str) -> RemoteUrl | None:
    """Return the parts of a remote's URL without credentials; None for a local path."""
    match = _URL.fullmatch(url) or _SCP_LIKE.fullmatch(url)
    if match is None:
        return None
    scheme, host, port, path = match.groups()
    return RemoteUrl(scheme.lower(), host.lower(), port or "", path)


def has_password(url: str) -> bool:
    """Return whether a URL has a password in it, as in `https://user:password@host/path`."""
    return bool(_PASSWORD.search(url))


def refuse_password(url: str) -> None:
    """Raise UsageError for a git repository's URL with a password: all users see git's arguments.

    Git's helper programs get the whole URL as an argument, wherever git has it from.
    """
    if has_password(url):
        host = re.split(r"[/@]", url.partition("://")[2].rpartition("@")[2])[0]
        raise UsageError(
            text("the address of a repository at `{host}` has a password in it", host=host),
            hint="leave it out: git asks its credential helper (`git help credentials`), or use "
            "an SSH key",
        )
