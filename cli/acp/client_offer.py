"""What a client gives a session: MCP servers, and folders that it has open, too."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...config.text import text
from ...tools.mcp.server_config import McpServer
from ...tools.mcp.server_parser import parse_server
from ...tools.sensitive_paths import find_homes, find_secrets, is_secret_path
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


def read_folders(values: Sequence[object], project: Path) -> tuple[Path, ...]:
    """Read `additionalDirectories`: real folders outside the project. Raises RpcError."""
    folders = list[Path]()
    for value in values:
        if not isinstance(value, str) or not os.path.isabs(value) or not os.path.isdir(value):
            message = "`additionalDirectories` must be absolute paths of folders: {path}"
            raise RpcError(INVALID_PARAMS, text(message, path=value))
        folders.append(Path(os.path.realpath(value)))
    return tuple(dict.fromkeys(f for f in folders if not f.is_relative_to(project)))


def split_folders(folders: Sequence[Path], home: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the folders that tools may read, and those that hold keys or our own data."""
    private = [*find_secrets(find_homes()), Path(os.path.realpath(home))]
    held = tuple(
        folder
        for folder in folders
        if is_secret_path(folder)
        or any(p.is_relative_to(folder) or folder.is_relative_to(p) for p in private)
    )
    return tuple(folder for folder in folders if folder not in held), held
