"""The servers' tools as they were first approved: what has changed since is asked again.

An approval binds to the server, its entry, the file that defines it, and the tool's definition.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ...config.security.private_files import lock_folder, make_private_folder, replace_file
from ...config.security.provenance import Provenance, find_provenance_changes
from ...config.text import join_texts, text
from ..consent.differences import render_differences
from ..consent.kept_texts import keep_texts
from ..consent.rule_record import provenances_from_json, provenances_to_json
from ..textedits.unified_diff import build_diff
from ..workspace import Workspace
from .definition import ToolDefinition
from .definition_cache import get_data_folder
from .server_config import McpServer
from .server_origins import find_server_origins
from .tool_text import show_hidden

TOOL_CHANGED = "its server has changed this tool since it was allowed first"
SERVER_CHANGED = "its server is another one than you have allowed: {what}"


@dataclass(frozen=True)
class DefinitionChange:
    """How a tool, or its server, differs from what was approved."""

    reason: str
    diff: str
    is_of_server: bool = False
    """Whether the server itself is another one."""


@dataclass(frozen=True)
class _Approval:
    """What was approved of one server."""

    server: Sequence[Provenance] | None
    """Its entry and scripts; None: kept by an older version, which did not know them."""
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """By the server's own name: digest and text of the definition."""


def find_change(
    home: Path, server: McpServer, definition: ToolDefinition, root: Path
) -> DefinitionChange | None:
    """Return how the tool or its server differs from the approved one; None if it does not.

    A server of which nothing was approved has not changed.
    """
    approval = _read_approval(home, server)
    changes = [
        change
        for change in (
            _find_definition_change(approval, definition),
            _find_server_change(approval, server, home, root),
        )
        if change
    ]
    if not changes:
        return None
    return DefinitionChange(
        join_texts("; ", (change.reason for change in changes)),
        "".join(change.diff for change in changes),
        is_of_server=all(change.is_of_server for change in changes),
    )


def _find_definition_change(
    approval: _Approval, definition: ToolDefinition
) -> DefinitionChange | None:
    approved = approval.tools.get(definition.name)
    if approved is None or approved.get("digest") == definition.digest:
        return None
    now = render_definition(definition)
    diff = build_diff(str(approved.get("text", "")), now, definition.name) or now
    return DefinitionChange(text(TOOL_CHANGED), diff)


def _find_server_change(
    approval: _Approval, server: McpServer, home: Path, root: Path
) -> DefinitionChange | None:
    if approval.server is None:
        return None
    current = find_server_origins(server, root)
    changes = find_provenance_changes(approval.server, [item.provenance for item in current])
    if not changes:
        return None
    reason = text(SERVER_CHANGED, what=join_texts("; ", changes))
    diff = render_differences(home, approval.server, current)
    return DefinitionChange(reason, diff, is_of_server=True)


def record_approval(home: Path, server: McpServer, definition: ToolDefinition, root: Path) -> None:
    """Keep the definition and its server as approved; raises OSError."""
    file, current = _locate_file(home, server), find_server_origins(server, root)
    approval, now = _read_approval(home, server), [origin.provenance for origin in current]
    is_same = approval.server is not None and list(approval.server) == now
    previous = approval.tools.get(definition.name)
    if is_same and previous and previous.get("digest") == definition.digest:
        return
    keep_texts(home, current, Workspace(root))
    make_private_folder(file.parent)
    with lock_folder(file.parent):
        known = _read_approval(home, server)
        is_other = known.server is not None and list(known.server) != now
        entry = {"digest": definition.digest, "text": render_definition(definition)}
        # what another server has offered under this name was not approved of this one
        tools = {**({} if is_other else known.tools), definition.name: entry}
        content = {"server": provenances_to_json(now), "tools": tools}
        replace_file(file, json.dumps(content, ensure_ascii=False).encode())


def render_definition(definition: ToolDefinition) -> str:
    """Render what a model is told of the tool, for a person to compare."""
    schema = json.dumps(definition.schema, indent=2, sort_keys=True, ensure_ascii=False)
    return show_hidden(f"{definition.description}\n\n{schema}\n")


def _read_approval(home: Path, server: McpServer) -> _Approval:
    file, older = _locate_file(home, server), _locate_older_file(home, server)
    try:
        if file.exists():
            data = _read_json(file)
            return _Approval(provenances_from_json(data["server"]), _parse_tools(data["tools"]))
        return _Approval(None, _parse_tools(_read_json(older)) if older.exists() else {})
    except (OSError, KeyError, ValueError, RecursionError):
        return _Approval(())  # it cannot be read, so nothing of the server is approved


def _read_json(file: Path) -> dict[str, Any]:
    """Read an object; raises OSError, ValueError and RecursionError."""
    return _require_object(json.loads(file.read_text(encoding="utf-8")))


def _parse_tools(value: object) -> dict[str, Mapping[str, Any]]:
    return {name: _require_object(entry) for name, entry in _require_object(value).items()}


def _require_object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return cast("dict[str, Any]", value)


def _locate_file(home: Path, server: McpServer) -> Path:
    return _locate_approval(home, f"{server.name}\n{server.source}\nfile")


def _locate_older_file(home: Path, server: McpServer) -> Path:
    """Return where older versions kept the definitions: by the entry alone."""
    return _locate_approval(home, f"{server.name}\n{server.digest}")


def _locate_approval(home: Path, identity: str) -> Path:
    name = hashlib.sha256(identity.encode()).hexdigest()[:32]
    return get_data_folder(home) / "approved" / f"{name}.json"
