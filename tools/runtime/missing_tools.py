"""Tools that the configuration names and nothing here offers."""

import re
from collections.abc import Iterator
from pathlib import Path

from ...config.settings.schema import Settings
from ...config.trust.decision import Trust
from .. import aliases
from ..tool_table import TOOLS


def find_missing_tools(
    settings: Settings, root: Path, home: Path, trust: Trust | None = None
) -> list[str]:
    """Find the names, as written, of servers that are not configured."""
    names = _list_named_tools(settings)
    mcp = [name for name in names if name.startswith("mcp_") or _get_requirement(name) == "mcp"]
    foreign = {*_iter_without_server(mcp, root, home, trust)} if mcp else set[str]()
    is_idle = not settings.rag.servers
    return [
        name for name in names if name in foreign or (is_idle and _get_requirement(name) == "rag")
    ]


def _get_requirement(name: str) -> str:
    entry = TOOLS.get(aliases.resolve_tool_name(name, TOOLS))
    return entry.requires if entry else ""


def _iter_without_server(
    names: list[str], root: Path, home: Path, trust: Trust | None
) -> Iterator[str]:
    """Yield the names, `mcp_SERVER_TOOL` or a pattern, that belong to no server.

    A tool of our own that calls theirs needs any server.
    """
    from ..mcp.config_files import load_servers

    loaded = [server for server in load_servers(root, home, trust) if server.enabled]
    servers = [name for server in loaded if (name := _normalize(server.name))]
    for name in names:
        is_own = not name.startswith("mcp_")
        prefix = "" if is_own else _normalize(name).removeprefix("mcp").partition("*")[0]
        if is_own and loaded:
            continue
        if not any(prefix.startswith(server) or server.startswith(prefix) for server in servers):
            yield name


def _normalize(name: str) -> str:
    return re.sub(r"[^\w*]|_", "", name.casefold())


def _list_named_tools(settings: Settings) -> list[str]:
    """The names of tools that the settings hold, as they are written, each once."""
    confirmed = settings.security.require_confirmation
    names = confirmed if isinstance(confirmed, list) else []
    return list(dict.fromkeys([*settings.tools.enabled, *settings.tools.disabled, *names]))
