"""The tools that servers offered when they were last asked; asks no server."""

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ....config import paths
from ....config.errors import UsageError
from ....config.text import text
from ...rendering.output import echo, echo_wrapped
from .server_lookup import load_here

if TYPE_CHECKING:
    from ....tools.mcp.definition import ToolDefinition

# Nobody has checked what a server says that its tools do
EFFECT = "execute"


def read_known_tools() -> "dict[str, ToolDefinition]":
    """Return the tools of the usable servers by the names that models call."""
    from ....tools.mcp.definition_cache import read_definitions
    from ....tools.mcp.tool_names import name_tools

    usable = [server for server in load_here().servers if server.is_usable]
    cached_definitions = [read_definitions(paths.locate_home(), server) for server in usable]
    return name_tools(
        tool for definitions in cached_definitions if definitions for tool in definitions.tools
    )


def show_known_tool(name: str) -> None:
    """Show a tool's description and arguments; `mcp__SERVER__TOOL` is the same name."""
    from ....tools.mcp.tool_names import fold_name
    from ....tools.mcp.tool_text import describe_tool

    known_tools = read_known_tools()
    own_name = next(
        (known_name for known_name in known_tools if fold_name(known_name) == fold_name(name)), None
    )
    if own_name is None:
        near = ", ".join(
            f"`{known_name}`" for known_name in get_close_matches(name, known_tools, n=3)
        )
        raise UsageError(
            text("no MCP server is known to have a tool `{name}`", name=name),
            hint=text("did you mean {names}?", names=near)
            if near
            else "`mcode mcp list` asks all servers",
        )
    echo(f"{own_name} ({EFFECT})")
    echo_wrapped(f"{describe_tool(known_tools[own_name])}\n")
    echo(json.dumps(known_tools[own_name].schema, indent=2))
