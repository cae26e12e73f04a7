"""The address of a server, and the token for it: from the environment or a file, never typed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ...config.errors import UsageError
from ...config.text import text

TOKEN, TOKEN_FILE = "MAXAGENT_REMOTE_TOKEN", "MAXAGENT_REMOTE_TOKEN_FILE"
_OWN_MACHINE = ("127.0.0.1", "::1", "localhost")
_HINT = "such as `mcode --remote https://box.example.ts.net threads list`"
_TOKEN_HINT = (
    "`mcode web` prints it behind `#token=`; set it in `MAXAGENT_REMOTE_TOKEN`, or name a file "
    "that has it in `MAXAGENT_REMOTE_TOKEN_FILE`"
)


@dataclass(frozen=True)
class RemoteAddress:
    """Where the server is."""

    url: str
    """Without a slash at the end."""
    token: str


# The server of this command; empty: the threads are here
_chosen: list[RemoteAddress] = []


def choose_server(url: str) -> None:
    """Keep the server that this command asks; raises UsageError for a wrong address."""
    _chosen[:] = [read_address(url)]


def get_server() -> RemoteAddress:
    """Return the server of this command."""
    return _chosen[0]


def read_address(url: str, environ: Mapping[str, str] = os.environ) -> RemoteAddress:
    """Return the address with its token; raises UsageError for one that is not to be used."""
    return RemoteAddress(_check_url(url), _read_token(environ))


def _check_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, 0
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise UsageError(text("`{url}` is not the address of a server", url=url), hint=_HINT)
    if parts.fragment or parts.query or parts.username or parts.password:
        raise UsageError(
            "`--remote` takes the address alone: other users see the arguments of a program",
            hint=_TOKEN_HINT,
        )
    if parts.scheme == "http" and host not in _OWN_MACHINE:
        raise UsageError(
            text("`{url}` would be sent the token, and all else, unprotected", url=url),
            hint="use `https://`, or forward a port of this machine to it with SSH",
        )
    return url.rstrip("/")


def _read_token(environ: Mapping[str, str]) -> str:
    token, file = environ.get(TOKEN, "").strip(), environ.get(TOKEN_FILE, "")
    if not token and file:
        token = _read_file(Path(file).expanduser())
    if not token:
        raise UsageError("the server's token is not known", hint=_TOKEN_HINT)
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError("the token of the server has characters that none has", hint=_TOKEN_HINT)
    return token


def _read_file(file: Path) -> str:
    try:
        mode, content = file.stat().st_mode, file.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            text("cannot read `{path}`: {reason}", path=file, reason=error.strerror or error),
            hint=_TOKEN_HINT,
        ) from error
    if mode & 0o077:
        raise UsageError(
            text("others can read `{path}`, which has a token", path=file),
            hint=text("`chmod 600 {path}`", path=file),
        )
    return content.strip()
