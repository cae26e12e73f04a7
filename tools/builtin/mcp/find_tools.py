"""The tool `find_tools`: a search in what MCP servers offer."""

import asyncio
import json

from ....config.errors import MaxAgentError
from ...definition import tool
from ...foreign_text import wrap_foreign_text
from ...mcp.definition import ToolDefinition
from ...mcp.errors import McpError
from ...mcp.mcp_access import McpAccess
from ...mcp.search import search_tools
from ...mcp.tool_text import describe_tool, remove_hidden
from ...result import CallResult, ToolError
from ...tool_run import Run

MAX_SHOWN = 5
# Seconds that a search waits for servers which were never asked before
MAX_WAIT_SECONDS = 10.0


@tool("read")
async def find_tools(query: str, *, run: Run) -> CallResult:
    """Find tools of the MCP servers."""
    if run.mcp is None:
        raise ToolError("no MCP server is configured here")
    problems = await _ask_unknown(run.mcp)
    definitions_by_server = await asyncio.to_thread(run.mcp.read_known)
    tools = [
        definition
        for definitions in definitions_by_server.values()
        for definition in definitions.tools
    ]
    hits = search_tools(tools, query, MAX_SHOWN)
    descriptions = "\n\n".join(map(_format_tool, hits))
    answer = (
        wrap_foreign_text(descriptions, "MCP servers")
        if descriptions
        else "No tool fits these words."
    )
    return CallResult("\n".join([answer, *problems]), metadata={"tools": len(tools)})


async def _ask_unknown(access: McpAccess) -> list[str]:
    """Ask the servers that were never asked what they offer; return why some did not answer."""
    definitions_by_server = await asyncio.to_thread(access.read_known)
    unknown = [
        server for name, server in access.servers.items() if name not in definitions_by_server
    ]
    if not unknown:
        return []
    asked = {
        asyncio.create_task(access.get_connection(server).list_definitions()): server
        for server in unknown
    }
    done, late = await asyncio.wait(asked, timeout=MAX_WAIT_SECONDS)
    for task in late:
        task.cancel()
    problems = [f"The server `{asked[task].name}` does not answer yet." for task in late]
    for task in done:
        error = task.exception()
        if isinstance(error, McpError):
            problems.append(remove_hidden(str(error)))  # it names the server
        elif isinstance(error, MaxAgentError):
            problems.append(
                f"The server `{asked[task].name}` cannot be asked: {remove_hidden(str(error))}"
            )
    return problems


def _format_tool(definition: ToolDefinition) -> str:
    schema = json.dumps(definition.schema, ensure_ascii=False)
    head = f"server_name: {definition.server}, tool_name: {definition.name}"
    return f"{head}\n{describe_tool(definition)}\narguments: {schema}"
