"""The definition of a server from the words of `mcode mcp add` (pure)."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

from ....config.errors import UsageError
from ....config.text import text

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_URL = re.compile(r"https?://", re.IGNORECASE)
# `localhost:3000/mcp`, `mcp.example.com`, `ws://x`: what nobody names a program
_BARE_URL = re.compile(
    r"""\w+://.*
    | (localhost | [\w-]+(\.[\w-]+)*(?=:\d) | [\w-]+(\.[\w-]+)+(?=/) | [\w-]+(\.[\w-]+){2,})
      (:\d+)? (/.*)?""",
    re.IGNORECASE | re.VERBOSE,
)

Definition = dict[str, object]


class TransportName(StrEnum):
    """How a server is reached, as in `tools/mcp/server_config.py`."""

    stdio = "stdio"
    http = "http"
    sse = "sse"


def validate_name(name: str) -> None:
    """Raise UsageError for a name that a new server cannot have."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            text("`{name}` cannot be the name of a server", name=name),
            hint="use at most 40 letters, digits, `-` and `_`",
        )


def join_command(target: list[str], command: str, arguments: list[str]) -> list[str]:
    """Return the words of the command, or the URL as the only one."""
    if bool(target) == bool(command) or (arguments and not command):
        raise UsageError(
            "give a URL, a command after `--`, or --command",
            hint="use `mcode mcp add NAME URL` or `mcode mcp add NAME -- COMMAND ARGS`",
        )
    return target or [command, *arguments]


def build_definition(
    words: list[str], transport: TransportName | None, headers: list[str], env: list[str]
) -> Definition:
    """Return the definition as it is stored; raises UsageError for parts that do not fit."""
    is_url = bool(_URL.match(words[0]))
    if transport is None and not is_url and len(words) == 1 and _BARE_URL.fullmatch(words[0]):
        raise UsageError(
            text("`{word}` has no `https://` or `http://`", word=words[0]),
            hint="write a URL with its scheme; for a program of this name add `--transport stdio`",
        )
    kind = transport or (TransportName.http if is_url else TransportName.stdio)
    if kind is TransportName.stdio:
        if headers or is_url:
            raise UsageError(
                "a server of the transport stdio is a command, without URL and headers",
                hint="use `mcode mcp add NAME -- COMMAND ARGS`",
            )
        variables = dict(_split_pair(pair, "=", "--env NAME=VALUE") for pair in env)
        added: Definition = {"env": variables} if variables else {}
        return {"type": "stdio", "command": words[0], "args": words[1:], **added}
    if env or len(words) > 1:
        raise UsageError(
            text("a server of the transport {transport} is one URL, without variables",
                 transport=kind.value),
            hint="`mcode mcp add NAME URL --header 'NAME: VALUE'`",
        )  # fmt: skip
    pairs = dict(_split_pair(header, ":", "--header 'NAME: VALUE'") for header in headers)
    return {"type": kind.value, "url": words[0], **({"headers": pairs} if pairs else {})}


def _split_pair(pair: str, separator: str, form: str) -> tuple[str, str]:
    name, found_separator, value = pair.partition(separator)
    if not found_separator or not name.strip():
        # the text may be a secret
        raise UsageError(text("write it as `{form}`", form=form))
    return name.strip(), value.strip() if separator == ":" else value


def find_literal_secrets(name: str, definition: Definition) -> Iterator[tuple[str, str]]:
    """Yield the name of each header or variable with a secret, and how to write it."""
    from ....tools.mcp.secret_values import is_secret

    variable = f"{re.sub(r'[^A-Za-z0-9]', '_', name).upper()}_TOKEN"
    for key, value in _read_pairs(definition, "env"):
        if is_secret(key, value):
            yield key, f"`--env '{key}=${{{key}}}'`"
    for key, value in _read_pairs(definition, "headers"):
        if is_secret(key, value):
            scheme = "Bearer " if value.lower().startswith("bearer ") else ""
            yield key, f"`--header '{key}: {scheme}${{{variable}}}'`"


def _read_pairs(definition: Definition, key: str) -> list[tuple[str, str]]:
    pairs = definition.get(key)
    items: list[tuple[object, object]] = [*pairs.items()] if isinstance(pairs, Mapping) else []
    return [(str(name), str(value)) for name, value in items]
