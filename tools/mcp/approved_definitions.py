"""The definitions of servers' tools as they were first approved: a changed tool is asked again."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from ...config.security.private_files import lock_folder, make_private_folder, replace_file
from ..textedits.unified_diff import build_diff
from .definition import ToolDefinition
from .definition_cache import get_data_folder
from .server_config import McpServer
from .tool_text import show_hidden


def find_change(home: Path, server: McpServer, definition: ToolDefinition) -> str:
    """Return how the tool differs from the approved one, as a diff; empty if it does not.

    A tool that was never approved has not changed.
    """
    approved = _read_approved(_locate_file(home, server)).get(definition.name)
    if approved is None or approved["digest"] == definition.digest:
        return ""
    now = render_definition(definition)
    return build_diff(str(approved["text"]), now, definition.name) or now


def keep_approved(home: Path, server: McpServer, definition: ToolDefinition) -> None:
    """Keep the definition as approved; raises OSError."""
    file = _locate_file(home, server)
    previous = _read_approved(file).get(definition.name)
    if previous and previous["digest"] == definition.digest:
        return
    make_private_folder(file.parent)
    with lock_folder(file.parent):
        entry = {"digest": definition.digest, "text": render_definition(definition)}
        approved = {**_read_approved(file), definition.name: entry}
        replace_file(file, json.dumps(approved, ensure_ascii=False).encode())


def render_definition(definition: ToolDefinition) -> str:
    """Render what a model is told of the tool, for a person to compare."""
    schema = json.dumps(definition.schema, indent=2, sort_keys=True, ensure_ascii=False)
    return show_hidden(f"{definition.description}\n\n{schema}\n")


def _read_approved(file: Path) -> Mapping[str, Mapping[str, Any]]:
    with suppress(OSError, ValueError):
        data: object = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            return cast("dict[str, dict[str, Any]]", data)
    return {}


def _locate_file(home: Path, server: McpServer) -> Path:
    identity = hashlib.sha256(f"{server.name}\n{server.digest}".encode()).hexdigest()[:32]
    return get_data_folder(home) / "approved" / f"{identity}.json"
