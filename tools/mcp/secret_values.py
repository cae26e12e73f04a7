"""Secrets in definitions of servers: which they are, and what is shown instead."""

import re
from collections.abc import Iterator

from ...config.security.masked_values import (
    has_secret_name,
    join_words,
    mask_arguments,
    mask_secrets,
    mask_url,
)
from ...config.security.redaction import redact
from ...config.security.secrets.known_values import is_secret_value, remember_secret
from .server_config import McpServer

_OPTION = re.compile(r"--?([A-Za-z][\w-]*)(=?)(.*)", re.DOTALL)


def is_secret(name: str, value: str) -> bool:
    """Return whether a header or variable holds a secret that is written out."""
    if "${" in value:
        return False
    return redact(value) != value or (has_secret_name(name) and bool(_find_token(value)))


def remember_secrets(server: McpServer) -> None:
    """Redact the secrets of a server from now on."""
    named = (*server.env.items(), *server.headers.items(), *server.oauth.items())
    for name, value in (*named, *_list_options(server)):
        if has_secret_name(name) and (token := _find_token(value)):
            remember_secret(name, token)


def format_address(server: McpServer) -> str:
    """Return the URL, or the command with its arguments: variables by name, without secrets."""
    if server.transport != "stdio":
        return mask_url(server.as_written.url)
    return join_words([mask_secrets(server.as_written.command), *hide_arguments(server)])


def hide_arguments(server: McpServer) -> Iterator[str]:
    """Yield the arguments of the command, without the values of secret options."""
    yield from mask_arguments(server.as_written.args)


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
