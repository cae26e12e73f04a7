"""The tool `use_mcp_tool`: a call of a server's tool by its own names."""

from typing import Any

from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run


@tool("execute")
async def use_mcp_tool(
    server_name: str,
    tool_name: str,
    arguments: dict[str, Any] | None = None,
    query: str = "",
    *,
    run: Run,
) -> CallResult:
    """Call a tool of an MCP server."""
    # the graph replaces each call by one of the server's tool, before it asks the user
    raise ToolError("no MCP server is configured here")
