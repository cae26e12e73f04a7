"""Decision on a call of a tool, by the effect that the tool declares."""

from collections.abc import Mapping, Sequence

from langchain_core.tools import BaseTool

from ..consent.origin import Origin, list_unique
from ..definition import extract_paths, get_effect
from ..mcp.tool_names import is_server_tool
from ..workspace import Workspace
from .call import RequestedCall
from .decision import Decision
from .evaluate import evaluate_call
from .policy import Policy


def evaluate_tool_call(
    tool: BaseTool, args: Mapping[str, object], workspace: Workspace, policy: Policy
) -> Decision:
    """Decide one call; its arguments have the tool's own names."""
    paths = extract_paths(tool, args)
    return evaluate_call(
        tool.name, get_effect(tool), args, paths, workspace, policy, find_server_name(tool)
    )


def find_call_origins(
    tool: BaseTool,
    args: Mapping[str, object],
    commands: Sequence[str],
    workspace: Workspace,
    policy: Policy,
) -> tuple[Origin, ...]:
    """Return what a call and the commands after it start by a name or a path."""
    server = policy.mcp_servers.get(find_server_name(tool))
    call = RequestedCall(tool.name, get_effect(tool), args, (), workspace, mcp_server=server)
    checks = (
        RequestedCall("run_command", "execute", {"command": command}, (), workspace)
        for command in commands
    )
    return list_unique(origin for item in (call, *checks) for origin in item.origins)


def find_server_name(tool: BaseTool) -> str:
    """Return the MCP server that a tool belongs to; empty for tools of ours."""
    return tool.definition.server if is_server_tool(tool) else ""
