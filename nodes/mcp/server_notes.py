"""Notes about servers that are late, changed or dead: the tool list of a thread stays."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AnyMessage, HumanMessage

from ...tools.mcp.definition import ToolDefinition
from ...tools.mcp.mcp_access import McpAccess
from ...tools.mcp.offer import Offer, OfferedServer
from ...tools.mcp.tool_names import make_tool_name
from ...tools.mcp.tool_text import remove_hidden
from ..roles import RoleName
from ..run.modes import build_note

# The mark in `additional_kwargs`: what a note has reported
REPORTED = "mcp_told"
MAX_NAMED = 20
# Arguments of a tool that a note shows, and how they may be named
MAX_ARGUMENTS = 20
_ARGUMENT = re.compile(r"[\w.$-]{1,64}", re.ASCII)
HEAD = "About the MCP servers, since this thread began:"


async def build_server_notes(
    offer: Offer | None,
    access: McpAccess | None,
    role: RoleName,
    history: Sequence[AnyMessage],
) -> list[HumanMessage]:
    """Return a note with what has become known of the servers and is not what was told last."""
    if offer is None or access is None:
        return []
    states = await asyncio.to_thread(lambda: dict(_find_states(offer, access)))
    if not states:
        return []
    reported = _find_reported(offer, history)
    new = {
        key: line
        for server, (key, line) in states.items()
        if key != reported.get(server, _name_unchanged(server))
    }
    if not new:
        return []
    note = build_note(role, "\n".join([HEAD, *new.values()]))
    note.additional_kwargs[REPORTED] = list(new)
    return [note]


def _find_reported(offer: Offer, history: Sequence[AnyMessage]) -> Mapping[str, str]:
    """Return the key of the last report of each server."""
    keys = (key for message in history for key in message.additional_kwargs.get(REPORTED, ()))
    names = [server.name for server in offer.servers]
    return {
        max((name for name in names if key.startswith(f"{name}:")), key=len, default=""): key
        for key in keys
    }


def _find_states(offer: Offer, access: McpAccess) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the key and the line of each server of which something is known now."""
    for server in offer.servers:
        name = server.name
        if name not in access.servers:
            yield name, (f"{name}:gone", f"- `{name}` is no longer configured.")
            continue
        status = access.get_connection(access.servers[name]).status
        if status.state == "failed":
            reason = remove_hidden(status.reason)
            yield name, (f"{name}:failed", f"- `{name}` cannot be used: {reason}.")
        elif status.state == "ready" and (definitions := access.read_definitions(name)):
            yield name, _compare_tools(server, definitions.tools, offer)


def _name_unchanged(server: str) -> str:
    return f"{server}:unchanged"


def _compare_tools(
    server: OfferedServer, tools: Sequence[ToolDefinition], offer: Offer
) -> tuple[str, str]:
    before = set(server.tools or ())
    names = {tool.name for tool in tools}
    added, removed = sorted(names - before), sorted(before - names)
    changed = _find_changed(tools, offer)
    if not (added or removed or changed):
        line = f"- `{server.name}` can be used, with the tools that it had at first."
        return _name_unchanged(server.name), line
    key = f"{server.name}:{','.join([*added, '', *removed])}"
    key += "".join(f";{tool.name}={tool.digest[:8]}" for tool in changed)
    by_name = {} if offer.is_bridged else {tool.name: tool for tool in tools}
    parts = [f"new tools: {_list_names(server.name, added, by_name)}"] if added else []
    parts += [f"gone: {_list_names(server.name, removed)}"] if removed else []
    others = [tool.name for tool in changed]
    parts += [f"other arguments: {_list_names(server.name, others, by_name)}"] if others else []
    return key, remove_hidden(f"- `{server.name}`: {'; '.join(parts)}.")


def _find_changed(tools: Sequence[ToolDefinition], offer: Offer) -> Sequence[ToolDefinition]:
    """Return the tools that are offered with other arguments than they have now."""
    offered = {(tool.server, tool.name): tool.schema for tool in offer.tools.values()}
    return [
        tool for tool in tools if offered.get((tool.server, tool.name), tool.schema) != tool.schema
    ]


def _list_names(
    server: str, names: Sequence[str], by_name: Mapping[str, ToolDefinition] | None = None
) -> str:
    tools = by_name or {}
    joined_names = ", ".join(
        make_tool_name(server, name) + (_render_arguments(tools[name]) if name in tools else "")
        for name in names[:MAX_NAMED]
    )
    return f"{joined_names}, …" if len(names) > MAX_NAMED else joined_names


def _render_arguments(tool: ToolDefinition) -> str:
    """Return `(city: string, days?: integer)`; empty if the arguments cannot be arguments so."""
    fields, required = tool.schema.get("properties"), tool.schema.get("required")
    if not isinstance(fields, dict) or len(cast("dict[str, Any]", fields)) > MAX_ARGUMENTS:
        return ""
    schemas = cast("dict[str, Any]", fields)
    if not all(map(_ARGUMENT.fullmatch, schemas)):
        return ""
    required_names = cast("list[object]", required) if isinstance(required, list) else []
    arguments = [
        _render_argument(name, schema, name in required_names) for name, schema in schemas.items()
    ]
    return f"({', '.join(arguments)})"


def _render_argument(name: str, schema: object, is_required: bool) -> str:
    kind = cast("dict[str, object]", schema).get("type") if isinstance(schema, dict) else None
    label = name if is_required else f"{name}?"
    return f"{label}: {kind}" if isinstance(kind, str) and kind.isalpha() else label
