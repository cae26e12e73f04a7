"""The tools of MCP servers that calls name, before they are decided.

A call of `use_mcp_tool` becomes one of the server's tool, so that rules, questions, journal and
views name what really runs.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages.tool import ToolCall

from ...config.errors import MaxAgentError
from ...config.text import text
from ...tools.mcp.tool_names import PREFIX
from ...tools.result import ToolError
from ...tools.runtime.agent_tools import can_call_server_tool
from ...tools.runtime.registry import canonical
from ..run.agent import Agent
from ..run.dependencies import Dependencies
from ..tool_task import PendingCall

if TYPE_CHECKING:
    from ...tools.mcp.approved_definitions import DefinitionChange
    from ...tools.mcp.mcp_access import McpAccess
    from ...tools.mcp.tool_adapter import McpTool

BRIDGE = "use_mcp_tool"


@dataclass(frozen=True)
class NamedCalls:
    """The calls of an answer by the real tools, and the agent that knows those."""

    agent: Agent
    calls: Sequence[ToolCall]
    refused: Mapping[str, str]
    """By the ID of a call that cannot run: why, for the model."""


async def name_server_calls(calls: Sequence[ToolCall], agent: Agent) -> NamedCalls:
    """Return the calls with those of servers' tools resolved; starts the servers they need."""
    access = agent.deps.mcp
    if access is None or agent.offer is None:
        return NamedCalls(agent, calls, {})
    named, refused, tools = list[ToolCall](), dict[str, str](), dict(agent.tools)
    for call in calls:
        try:
            tool, args = await _find_tool(call, access)
        except (ToolError, MaxAgentError) as error:
            refused[call["id"] or ""] = (
                error.message if isinstance(error, MaxAgentError) else str(error)
            )
            tool, args = None, {}
        if tool and not _is_allowed(tool, agent):
            refused[call["id"] or ""] = text("this agent is not given `{name}`", name=tool.name)
        if tool:
            tools[tool.name] = tool
            call = cast(ToolCall, {**call, "name": tool.name, "args": args})
        named.append(call)
    return NamedCalls(replace(agent, tools=tools), named, refused)


async def _find_tool(
    call: ToolCall, access: "McpAccess"
) -> "tuple[McpTool | None, Mapping[str, object]]":
    """Return the server's tool of a call, and its arguments; None for a tool of ours."""
    name, args = canonical(call["name"], call["args"])
    if name == BRIDGE:
        tool = await access.load_tool(str(args.get("server_name")), str(args.get("tool_name")))
        return tool, read_bridge_arguments(args, tool)
    if not name.startswith(PREFIX):
        return None, {}
    tool = await access.find_tool(name)
    return tool, call["args"]


def read_bridge_arguments(args: Mapping[str, object], tool: "McpTool") -> dict[str, Any]:
    """Return the tool's own arguments in a call of `use_mcp_tool`; raises ToolError."""
    arguments, query = args.get("arguments"), args.get("query")
    if isinstance(arguments, str) and arguments.strip():
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise ToolError(text("`arguments` is not valid JSON: {error}", error=error)) from error
    if arguments:
        if not isinstance(arguments, dict):
            raise ToolError("`arguments` must be an object")
        return cast("dict[str, Any]", arguments)
    if not query:
        return {}
    from ...tools.mcp.tool_adapter import find_text_argument

    name = find_text_argument(tool.definition.schema)
    if not name:
        schema = json.dumps(tool.definition.schema, ensure_ascii=False)
        raise ToolError(
            text(
                "`query` needs a tool with one text argument; give `arguments`: {schema}",
                schema=schema,
            )
        )
    return {name: query}


def _is_allowed(tool: "McpTool", agent: Agent) -> bool:
    profile, chosen = agent.profile, agent.deps.settings.tools
    return profile is None or can_call_server_tool(tool.name, profile, chosen)


async def with_server_tools(agent: Agent, calls: Sequence[PendingCall]) -> Agent:
    """Return the agent with the servers' tools of allowed calls; no server is asked."""
    missing = {call["name"] for call in calls if call["name"].startswith(PREFIX)}
    if not missing or agent.deps.mcp is None or agent.offer is None:
        return agent
    from ...tools.mcp.tool_adapter import build_tool

    known_tools = await asyncio.to_thread(agent.deps.mcp.find_known_tools, missing)
    offered = {
        name: build_tool(name, tool, from_project=agent.offer.is_from_project(tool.server))
        for name, tool in agent.offer.tools.items()
    }
    tools = {
        **agent.tools,
        **{name: offered[name] for name in missing & set(offered)},
        **known_tools,
    }
    return replace(agent, tools=tools)


def find_tool_change(tool: "McpTool", deps: Dependencies) -> "DefinitionChange | None":
    """Return how a tool or its server differs from what was approved; mostly None. Blocks."""
    access, definition = deps.mcp, tool.definition
    if access is None or definition.server not in access.servers:
        return None
    from ...tools.mcp.approved_definitions import find_change

    server = access.find_server(definition.server)
    return find_change(deps.home, server, definition, deps.workspace.root)
