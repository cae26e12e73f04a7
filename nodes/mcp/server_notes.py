"""Notes about servers that are late, changed or dead: the tool list of a thread stays."""

import asyncio
from collections.abc import Iterator, Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from ...tools.mcp.mcp_access import McpAccess
from ...tools.mcp.offer import Offer, OfferedServer
from ...tools.mcp.tool_names import make_tool_name
from ...tools.mcp.tool_text import remove_hidden
from ..roles import RoleName
from ..run.modes import build_note

# The mark in `additional_kwargs`: what a note has reported
REPORTED = "mcp_told"
MAX_NAMED = 20
HEAD = "About the MCP servers, since this thread began:"


async def build_server_notes(
    offer: Offer | None,
    access: McpAccess | None,
    role: RoleName,
    history: Sequence[AnyMessage],
) -> list[HumanMessage]:
    """Return a note with what has become known of the servers and was not told yet."""
    if offer is None or access is None:
        return []
    server_changes = await asyncio.to_thread(lambda: dict(_find_news(offer, access)))
    if not server_changes:
        return []
    reported = {key for message in history for key in message.additional_kwargs.get(REPORTED, ())}
    new = {key: line for key, line in server_changes.items() if key not in reported}
    if not new:
        return []
    note = build_note(role, "\n".join([HEAD, *new.values()]))
    note.additional_kwargs[REPORTED] = list(new)
    return [note]


def _find_news(offer: Offer, access: McpAccess) -> Iterator[tuple[str, str]]:
    """Yield a key and a line for each server that is not as it was offered."""
    for server in offer.servers:
        if server.name not in access.servers:
            yield f"{server.name}:gone", f"- `{server.name}` is no longer configured."
            continue
        status = access.get_connection(access.servers[server.name]).status
        if status.state == "failed":
            reason = remove_hidden(status.reason)
            yield f"{server.name}:failed", f"- `{server.name}` cannot be used: {reason}."
        elif status.state == "ready" and (definitions := access.read_definitions(server.name)):
            yield from _compare_tools(server, [tool.name for tool in definitions.tools])


def _compare_tools(server: OfferedServer, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    before = set(server.tools or ())
    added, removed = sorted(set(names) - before), sorted(before - set(names))
    if not (added or removed):
        return
    key = f"{server.name}:{','.join([*added, '', *removed])}"
    parts = [f"new tools: {_list_names(server.name, added)}"] if added else []
    parts += [f"gone: {_list_names(server.name, removed)}"] if removed else []
    yield key, remove_hidden(f"- `{server.name}`: {'; '.join(parts)}.")


def _list_names(server: str, names: Sequence[str]) -> str:
    joined_names = ", ".join(make_tool_name(server, name) for name in names[:MAX_NAMED])
    return f"{joined_names}, …" if len(names) > MAX_NAMED else joined_names
