"""The agents, for programs: `maxagent.agents`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import paths
from ..config.agents.profile import AgentProfile
from ..config.agents.registry import AgentRegistry, find_agents, register_agent
from ..config.arguments import validate_arguments, validate_fields
from ..config.settings.schema import ToolsSection
from ..config.trust.decision import check_trust

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


class Agents:
    """The agents of a folder: built-in, of a program, the user's own, and of a trusted project."""

    def __init__(self, home: Path | None = None) -> None:
        """Look in this MaxAgent home, by default the user's."""
        self._home = home

    @validate_arguments
    def get(self, name: str, folder: Path | str = ".") -> AgentProfile:
        """Return the agent of that name; raises UsageError, which names the others."""
        return self._find_agents(folder).find(name)

    @validate_arguments
    def list(self, folder: Path | str = ".") -> tuple[AgentProfile, ...]:
        """Return all agents that can be chosen or sent."""
        profiles = self._find_agents(folder).profiles.values()
        return tuple(profile for profile in profiles if not profile.hidden)

    @validate_arguments
    def register(self, profile: AgentProfile) -> None:
        """Add an agent to this process, as the user's own; it replaces one of the same name.

        Threads that it speaks in can be resumed only where it is registered, too. Raises UsageError
        for a wrong name, an empty prompt or a tool that does not exist.
        """
        validate_fields(profile)
        self.filter_tools(profile)
        register_agent(profile)

    @validate_arguments
    def filter_tools(
        self, profile: AgentProfile, tools: "Iterable[BaseTool] | None" = None
    ) -> "Sequence[BaseTool]":
        """Return those of the tools that the agent may have; by default of MaxAgent's own.

        A tool of a program's own is judged by its name, as one of an MCP server is. Raises
        UsageError if the profile names a tool that does not exist.
        """
        from ..tools.runtime.agent_tools import can_call_server_tool, select_agent_tools
        from ..tools.runtime.registry import NAMES

        chosen = ToolsSection()
        own = select_agent_tools(profile, chosen)
        if tools is None:
            return own
        offered = {tool.name for tool in own}
        return [
            tool
            for tool in tools
            if tool.name in offered
            or (tool.name not in NAMES and can_call_server_tool(tool.name, profile, chosen))
        ]

    def _find_agents(self, folder: Path | str) -> AgentRegistry:
        root, home = Path(folder).resolve(), self._home or paths.locate_home()
        return find_agents(root, home, check_trust(root, home))


agents = Agents()
