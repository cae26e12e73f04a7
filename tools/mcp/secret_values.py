"""Secrets in definitions of servers: which they are, and what is shown instead."""

import re
import shlex
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

from ...config.security.redaction import redact
from ...config.security.secrets.known_values import (
    is_secret_name,
    is_secret_value,
    remember_secret,
)
from .server_config import McpServer

HIDDEN = "***"
_OPTION = re.compile(r"--?([A-Za-z][\w-]*)(=?)(.*)", re.DOTALL)


def is_secret(name: str, value: str) -> bool:
    """Return whether a header or variable holds a secret that is written out."""
    if "${" in value:
        return False
    return redact(value) != value or (has_secret_name(name) and bool(_find_token(value)))


def has_secret_name(name: str) -> bool:
    """Return whether the name of a header, variable or option says that it holds a secret."""
    plain = name.replace("-", "_")
    return is_secret_name(plain) or plain.lower() in (
        "authorization",
        "proxy_authorization",
        "cookie",
    )


def remember_secrets(server: McpServer) -> None:
    """Redact the secrets of a server from now on."""
    named = (*server.env.items(), *server.headers.items(), *server.oauth.items())
    for name, value in (*named, *_list_options(server)):
        if has_secret_name(name) and (token := _find_token(value)):
            remember_secret(name, token)


def format_address(server: McpServer) -> str:
    """Return the URL, or the command with its arguments, without secrets."""
    if server.transport != "stdio":
        return hide_query(server.url)
    return redact(shlex.join([server.command, *hide_arguments(server)]))


def hide_query(url: str) -> str:
    """Return the URL without its password, and without the values in its query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    host = parts.netloc.rpartition("@")[2]
    place = f"{HIDDEN}@{host}" if "@" in parts.netloc else host
    query = re.sub(r"=[^&]*", f"={HIDDEN}", parts.query)
    return redact(urlunsplit((parts.scheme, place, parts.path, query, "")))


def _find_token(value: str) -> str:
    """Return the secret of `Bearer SECRET` or `SECRET`; empty if it cannot be one."""
    token = value.strip().rpartition(" ")[2]
    return token if is_secret_value(token) else ""


def _list_options(server: McpServer) -> Iterator[tuple[str, str]]:
    """Yield the options of the command that have a value: `--key=VALUE` and `--key VALUE`."""
    for number, argument in enumerate(server.args):
        if match := _OPTION.fullmatch(argument):
            following = server.args[number + 1 : number + 2]
            yield match[1], match[3] if match[2] else "".join(following)


def hide_arguments(server: McpServer) -> Iterator[str]:
    """Yield the arguments of the command, without the values of secret options."""
    secret_follows = False
    for argument in server.args:
        match = _OPTION.fullmatch(argument)
        is_named = bool(match and has_secret_name(match[1]))
        if secret_follows and not match:
            yield HIDDEN
        elif match and is_named and match[2]:
            yield f"{argument.partition('=')[0]}={HIDDEN}"
        else:
            yield argument
        secret_follows = bool(match and is_named and not match[2])
