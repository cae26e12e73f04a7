"""The agents, for programs: `maxagent.agents`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import paths
from ..config.agents.profile import AgentProfile
from ..config.agents.registry import AgentRegistry, find_agents, register_agent
from ..config.trust.decision import check_trust

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


class Agents:
    """The agents of a folder: built-in, of a program, the user's own, and of a trusted project."""

    def get(self, name: str, folder: Path | str = ".") -> AgentProfile:
        """Return the agent of that name; raises UsageError, which names the others."""
        return _find_agents(folder).find(name)

    def list(self, folder: Path | str = ".") -> tuple[AgentProfile, ...]:
        """Return all agents that can be chosen or sent."""
        profiles = _find_agents(folder).profiles.values()
        return tuple(profile for profile in profiles if not profile.hidden)

    def register(self, profile: AgentProfile) -> None:
        """Add an agent to this process, as the user's own; it replaces one of the same name.

        Threads that it speaks in can be resumed only where it is registered, too. Raises UsageError
        for a wrong name, an empty prompt or a tool that does not exist.
        """
        self.filter_tools(profile)
        register_agent(profile)

    def filter_tools(self, profile: AgentProfile) -> "Sequence[BaseTool]":
        """Return the tools that the agent is offered; raises UsageError for one that is unknown."""
        from ..config.settings.schema import ToolsSection
        from ..tools.runtime.agent_tools import select_agent_tools

        return select_agent_tools(profile, ToolsSection())


agents = Agents()


def _find_agents(folder: Path | str) -> AgentRegistry:
    root, home = Path(folder).resolve(), paths.locate_home()
    return find_agents(root, home, check_trust(root, home))
