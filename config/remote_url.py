"""The parts of a remote repository's URL: `https://host/path`, or `user@host:path`."""

import re
from typing import NamedTuple

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(?:[^/\s]*@)?([^@/:\s]*)(?::(\d*))?/(.*)", re.IGNORECASE)
# a slash before the colon makes it a local path
_SCP_LIKE = re.compile(r"()(?:[^@/:\s]+@)?([^/:\s]+)():(?!//)(.+)")


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
