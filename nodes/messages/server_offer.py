"""What a thread is offered of MCP servers; it stands in the state by its hash."""

import asyncio
import logging
from typing import TYPE_CHECKING

from langchain_core.tools import BaseTool

from ...config.agents.profile import AgentProfile
from ...config.settings.schema import ToolsSection
from ...tools.runtime.agent_tools import can_call_server_tool

if TYPE_CHECKING:
    from ...tools.mcp.mcp_access import McpAccess
    from ...tools.mcp.offer import Offer
    from ..state import State

_logger = logging.getLogger(__name__)


async def settle_offer(state: "State", access: "McpAccess | None") -> str:
    """Return the hash of the thread's offer; decide it if no model of the thread was asked yet."""
    if state.get("steps", 0) or state.get("mcp"):
        return state.get("mcp", "")
    if access is None or not access.servers:
        return ""
    from ...tools.mcp.offer import build_offer, keep_offer

    known_definitions = await asyncio.to_thread(access.read_known)
    offer = build_offer(list(access.servers.values()), known_definitions)
    try:
        return await asyncio.to_thread(keep_offer, access.home, offer)
    except OSError as error:  # a full disk: the thread goes on without servers
        _logger.warning("the offer of MCP servers was not kept: %s", error)
        return ""


def load_offer(access: "McpAccess | None", digest: str) -> "Offer | None":
    """Return the thread's offer; None without servers. Blocks."""
    if access is None or not digest:
        return None
    from ...tools.mcp.offer import build_offer, read_offer

    # without its file the servers can still be reached, by the pair of tools
    return read_offer(access.home, digest) or build_offer(list(access.servers.values()), {})


def build_offered_tools(
    offer: "Offer | None", profile: AgentProfile, chosen: ToolsSection
) -> list[BaseTool]:
    """Return the servers' tools that an agent is offered directly, in the offer's order."""
    if offer is None:
        return []
    from ...tools.mcp.tool_adapter import build_tool

    return [
        build_tool(name, tool, from_project=offer.is_from_project(tool.server))
        for name, tool in offer.tools.items()
        if can_call_server_tool(name, profile, chosen)
    ]
