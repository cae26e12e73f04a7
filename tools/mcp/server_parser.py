"""The definition of one server, as MaxAgent, Claude Code, Cursor, VS Code and others write it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ...config.errors import UsageError
from ...config.text import text
from .server_config import CALL_TIMEOUT, CONNECT_TIMEOUT, McpServer, Transport
from .variables import Variables

JsonObject = Mapping[str, object]

_TRANSPORTS: Mapping[str, Transport] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "https": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "remote": "http",
    "sse": "sse",
}
# The names that other programs give to the address
_URLS = ("url", "httpUrl", "serverUrl")
# The keys that say what a server is and whether it is used, of all programs
DEFINING_KEYS = frozenset(
    ("name", "type", "transport", "command", "args", "env", "cwd", "headers", "enabled", "disabled")
) | frozenset(_URLS)
# Keys of other programs that restrict a server, which nothing here obeys: it is not used with one
_UNSUPPORTED = {
    "envFile": "`{key}` is not supported",
    **dict.fromkeys(
        ("includeTools", "excludeTools", "enabledTools", "disabledTools", "allowedTools")
        + ("enabled_tools", "disabled_tools", "allowed_tools", "available_tools"),
        "`{key}` is not supported: deny tools with a rule, such as `mcp_{server}_TOOL`",
    ),
    **dict.fromkeys(
        ("headersHelper", "bearer_token_env_var", "env_http_headers", "http_headers"),
        "`{key}` is not supported: write `headers`, with `${{NAME}}` for a variable",
    ),
}
# Variables as other programs write them, which would be sent as they stand
_OTHER_VARIABLE = re.compile(r"\{env:(\w+)\}|^(?:Bearer )?\$([A-Z_][A-Z0-9_]*)$|^%([A-Z_]\w*)%$")
# Whether a server is used, by the key; the others say that it is not
SWITCHES = {"enabled": True, "disabled": False, "isActive": True, "active": True}
# Most characters of a name; other programs allow any
MAX_NAME = 100
_CAPITAL = re.compile("[A-Z]")
_MAX_SECONDS = 24 * 3600.0


def parse_server(
    name: str, entry: object, variables: Variables | None, *, source: str, from_project: bool
) -> McpServer:
    """Parse a definition; what is wrong with it is the `problem` of the server.

    Without `variables` its texts are as they are written.
    """
    server = McpServer(name, "stdio", source=source, from_project=from_project)
    if not isinstance(entry, dict):
        return replace(server, problem=text("its definition is not a JSON object"))
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        return replace(server, problem=text("its name is empty, too long or not printable"))
    definition = cast("JsonObject", entry)
    try:
        server = replace(server, enabled=_is_enabled(definition))
        unexpanded = _read_definition(server, definition)
    except UsageError as error:
        return replace(server, problem=error.message)
    try:
        return _expand(unexpanded, variables)
    except UsageError as error:
        return replace(unexpanded, problem=error.message)


def validate_definition(name: str, definition: JsonObject, variables: Variables) -> None:
    """Raise UsageError for a wrong definition, and UnsetVariableError."""
    _expand(_read_definition(McpServer(name, "stdio"), definition), variables)


def _read_definition(server: McpServer, definition: JsonObject) -> McpServer:
    """Return the server with its values as they are written; raises UsageError."""
    url = next((key for key in _URLS if definition.get(key)), "url")
    command, *arguments = _read_command(definition)
    written = McpServer(
        server.name,
        _find_transport(definition),
        command=command,
        args=(*arguments, *_read_list(definition, "args")),
        env={**_read_mapping(definition, "environment"), **_read_mapping(definition, "env")},
        cwd=_read_text(definition, "cwd"),
        url=_read_text(definition, url),
        headers=_read_mapping(definition, "headers"),
        oauth=_read_oauth(definition),
        enabled=server.enabled,
        source=server.source,
        from_project=server.from_project,
        connect_timeout=_read_seconds(definition, "connect_timeout", CONNECT_TIMEOUT),
        call_timeout=_read_seconds(definition, "call_timeout", CALL_TIMEOUT),
    )
    required_key, value = (
        ("command", written.command) if written.transport == "stdio" else ("url", written.url)
    )
    if not value.strip():
        raise UsageError(text("its definition has no `{key}`", key=required_key))
    for key in filter(definition.get, _UNSUPPORTED):
        raise UsageError(text(_UNSUPPORTED[key], key=key, server=server.name))
    _validate_variables(written)
    return written


def _validate_variables(server: McpServer) -> None:
    """Raise UsageError for a variable that only other programs know."""
    for value in (*server.args, *server.env.values(), *server.headers.values(), server.url):
        if variable := _OTHER_VARIABLE.search(value):
            name = next(filter(None, variable.groups()))
            raise UsageError(
                text(
                    "`{variable}` is no variable here: write `{other}`",
                    variable=variable[0].removeprefix("Bearer "),
                    other=f"${{{name}}}",
                )
            )


def _read_command(definition: JsonObject) -> tuple[str, ...]:
    """Return the command, and its arguments if it is a list of both."""
    if isinstance(definition.get("command"), list):
        return _read_list(definition, "command") or ("",)
    return (_read_text(definition, "command"),)


def _find_transport(definition: JsonObject) -> Transport:
    kind = definition.get("type") or definition.get("transport")
    if kind is None:
        url = next((definition[key] for key in _URLS if definition.get(key)), None)
        if url is None or definition.get("command"):
            return "stdio"
        return "sse" if isinstance(url, str) and url.rstrip("/").endswith("/sse") else "http"
    transport = _TRANSPORTS.get(kind.lower()) if isinstance(kind, str) else None
    if transport is None:
        raise UsageError(
            text("its type `{type}` is unknown", type=kind), hint="use `stdio`, `http` or `sse`"
        )
    return transport


def _expand(server: McpServer, variables: Variables | None) -> McpServer:
    """Put in the variables; the digest stays that of what is written."""
    expand = variables.expand if variables else str
    expanded = replace(
        server,
        command=expand(server.command),
        args=tuple(expand(argument) for argument in server.args),
        env={name: expand(value) for name, value in server.env.items()},
        cwd=expand(server.cwd),
        url=expand(server.url),
        headers={name: expand(value) for name, value in server.headers.items()},
        oauth={name: expand(value) for name, value in server.oauth.items()},
        written=server,
    )
    if server.transport != "stdio":
        _validate_url(expanded.url)
        _validate_headers(expanded.headers)
    return expanded


def _validate_url(url: str) -> None:
    scheme, _, address = url.partition("://")
    host = address.split("/", 1)[0]
    if scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise UsageError(
            "its URL is not one of `http://` or `https://`", hint="write `https://HOST/PATH`"
        )


def _validate_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not name or not (name + value).isprintable() or not (name + value).isascii():
            raise UsageError(
                text("its header `{name}` has characters that HTTP cannot send", name=name)
            )


def _is_enabled(definition: JsonObject) -> bool:
    """Return whether the server is used; raises UsageError for a value that says neither."""
    for key, is_positive in SWITCHES.items():
        value = definition.get(key)
        answer = {"true": True, "false": False}.get(str(value).lower())
        if value is not None and answer is None:
            raise UsageError(text("its `{key}` is neither true nor false", key=key))
        if answer is not None and answer is not is_positive:
            return False
    return True


def _read_text(definition: JsonObject, key: str) -> str:
    value = definition.get(key, "")
    if value is None:
        return ""
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(text("its `{key}` is not a text", key=key))
    return value


def _read_list(definition: JsonObject, key: str) -> tuple[str, ...]:
    value = definition.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UsageError(text("its `{key}` is not a list of texts", key=key))
    return tuple(_to_text(key, item) for item in cast("list[object]", value))


def _read_mapping(definition: JsonObject, key: str) -> dict[str, str]:
    value = definition.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(text("its `{key}` is not a mapping of texts", key=key))
    items = cast("dict[str, object]", value).items()
    return {name: _to_text(key, item) for name, item in items if item is not None}


def _read_oauth(definition: JsonObject) -> dict[str, str]:
    """Return how to log in; other programs write `clientId`."""
    if not isinstance(definition.get("oauth"), dict):
        return {}
    values = _read_mapping(definition, "oauth")
    return {_CAPITAL.sub(r"_\g<0>", name).lower(): value for name, value in values.items()}


def _to_text(key: str, value: object) -> str:
    """Return a text; a number or a boolean counts as what JSON shows of it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(text("its `{key}` has a value that is not a text", key=key))
    return value


def _read_seconds(definition: JsonObject, key: str, default: float) -> float:
    value = definition.get(key)
    if value is None:
        return default
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MAX_SECONDS:
        return float(value)
    raise UsageError(text("its `{key}` is not a number of seconds", key=key))
