"""Definitions of servers on disk, so that a thread knows them before a server has started."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, cast

from ...config.security.private_files import make_private_folder, replace_file
from .definition import (
    PromptArgument,
    PromptDefinition,
    ResourceDefinition,
    ServerDefinitions,
    ToolDefinition,
)
from .server_config import McpServer

# Another number makes older files unknown
_FORMAT = 1

_Item = TypeVar("_Item")


def get_data_folder(home: Path) -> Path:
    """Return the folder of what is kept of MCP servers."""
    return home / "data" / "mcp"


def read_definitions(home: Path, server: McpServer) -> ServerDefinitions | None:
    """Return what the server offered when it was last asked; None: not known, or not readable."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads(_locate_file(home, server).read_text(encoding="utf-8"))
        if data["format"] == _FORMAT and data["digest"] == server.digest:
            return _definitions_from_json(data["definitions"])
    return None


def keep_definitions(home: Path, server: McpServer, definitions: ServerDefinitions) -> None:
    """Keep what the server offers; raises OSError."""
    data = {"format": _FORMAT, "digest": server.digest, "definitions": asdict(definitions)}
    file = _locate_file(home, server)
    make_private_folder(file.parent)
    replace_file(file, json.dumps(data, ensure_ascii=False).encode())


def _locate_file(home: Path, server: McpServer) -> Path:
    identity = hashlib.sha256(f"{server.name}\n{server.digest}".encode()).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9_-]", "_", server.name)[:40]
    return get_data_folder(home) / "definitions" / f"{name}-{identity}.json"


def _definitions_from_json(data: Mapping[str, Any]) -> ServerDefinitions:
    fields: dict[str, Any] = {
        **data,
        "tools": _read_all(data["tools"], lambda item: ToolDefinition(**item)),
        "prompts": _read_all(data["prompts"], _prompt_from_json),
        "resources": _read_all(data["resources"], lambda item: ResourceDefinition(**item)),
        "left_out": tuple(data.get("left_out", ())),
    }
    return ServerDefinitions(**fields)


def _prompt_from_json(item: Mapping[str, Any]) -> PromptDefinition:
    arguments = _read_all(item["arguments"], lambda argument: PromptArgument(**argument))
    fields: dict[str, Any] = {**item, "arguments": arguments}
    return PromptDefinition(**fields)


def _read_all(items: object, read: Callable[[Mapping[str, Any]], _Item]) -> tuple[_Item, ...]:
    return tuple(read(item) for item in cast("list[Mapping[str, Any]]", items))
