"""The agents that another one can send, and whether one of them may change anything."""

from collections.abc import Mapping
from difflib import get_close_matches

from ...config.agents.profile import AgentProfile
from ...config.agents.registry import AgentRegistry
from ...config.errors import UsageError
from ..builtin.session.subagent import shorten_description
from ..result import ToolError
from ..tool_table import select_names
from .agent_tools import select_tool_names

# Claude Code's names
ALIASES = {"general-purpose": "general", "plan": "architect", "bash": "shell"}
OWN_AGENTS = (
    "More agents for the tool `subagent`; they replace those of the same name. An agent that may "
    "change nothing sends only those that only read."
)
CHANGING_TOOLS = select_names(lambda entry: entry.effect in ("edit", "execute"))


def list_sendable_agents(agents: AgentRegistry, parent: AgentProfile) -> Mapping[str, str]:
    """Return the descriptions of the agents that `parent` can send, by name.

    One that may change nothing sends only agents that read.
    """
    may_write = can_change(parent)
    return {
        name: profile.description
        for name, profile in sorted(agents.profiles.items())
        if profile.mode != "primary"
        and not profile.hidden
        and (may_write or not can_change(profile))
    }


def describe_own_agents(agents: AgentRegistry, most_bytes: int) -> str:
    """Return the user's own agents and the project's that can be sent; empty if there are none.

    Where the descriptions are too long, only the names.
    """
    own = [
        profile
        for _, profile in sorted(agents.profiles.items())
        if profile.origin != "built-in" and profile.mode != "primary" and not profile.hidden
    ]
    if not own:
        return ""
    descriptions = "\n".join(map(_describe_agent, own))
    if len(descriptions.encode()) > most_bytes:
        names = ", ".join(profile.name for profile in own)
        descriptions = names.encode()[:most_bytes].decode("utf-8", "ignore")
    return f"{OWN_AGENTS}\n{descriptions}"


def _describe_agent(profile: AgentProfile) -> str:
    reads = "" if can_change(profile) else " (only reads)"
    return f"- {profile.name}{reads}: {shorten_description(profile.description)}"


def find_sendable_agent(agents: AgentRegistry, parent: AgentProfile, name: str) -> AgentProfile:
    """Return the agent with its parent's limits; raises ToolError with the list for another."""
    sendable_agents = list_sendable_agents(agents, parent)
    name = _resolve_name(name, sendable_agents)
    if name not in sendable_agents:
        close = get_close_matches(name, sendable_agents, n=1, cutoff=0.6)
        suggestion = f"; did you mean `{close[0]}`?" if close else "."
        raise ToolError(
            f"no agent `{name}` can be sent{suggestion} There are: {', '.join(sendable_agents)}"
        )
    return agents.profiles[name].with_parent(parent)


def _resolve_name(name: str, sendable_agents: Mapping[str, str]) -> str:
    """Return the agent of that name, or of that other agent's name for it, in any case."""
    if name in sendable_agents:
        return name
    folded = name.strip().lower()
    agent_name = ALIASES.get(folded, folded)
    return agent_name if agent_name in sendable_agents else name


def can_change(profile: AgentProfile) -> bool:
    """Return whether its tools can change files or run programs; an invalid file counts as yes."""
    try:
        return bool(select_tool_names(profile) & CHANGING_TOOLS)
    except UsageError:
        return True
