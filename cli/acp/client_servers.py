"""The MCP servers that a client gives a session."""

from collections.abc import Sequence
from typing import Any

from ...config.text import text
from ...tools.mcp.server_config import McpServer
from ...tools.mcp.server_parser import parse_server
from .frames import INVALID_PARAMS, RpcError
from .params import as_object, read_list, require_text

# What is shown in the place of the file that defines a server
CLIENT = "ACP"


def read_servers(values: Sequence[object]) -> tuple[McpServer, ...]:
    """Read `mcpServers`; raises RpcError. What else is wrong is the `problem` of a server."""
    servers = tuple(_read_server(as_object(value)) for value in values)
    names = [server.name for server in servers]
    for name in names:
        if names.count(name) > 1:
            message = text("two of `mcpServers` have the name `{name}`", name=name)
            raise RpcError(INVALID_PARAMS, message)
    return servers


def _read_server(value: dict[str, Any]) -> McpServer:
    name = require_text(value, "name")
    definition = {key: value[key] for key in ("type", "command", "args", "url") if key in value}
    for key in ("env", "headers"):
        definition[key] = _read_pairs(value, key)
    # The client has put in what it calls variables: no text of it is one of ours
    return parse_server(name, definition, None, source=CLIENT, from_project=False)


def _read_pairs(value: dict[str, Any], name: str) -> dict[str, object]:
    """Read a list of objects with `name` and `value`; raises RpcError."""
    pairs = map(as_object, read_list(value, name))
    return {require_text(pair, "name"): pair.get("value") for pair in pairs}
