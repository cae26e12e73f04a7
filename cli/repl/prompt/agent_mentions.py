"""Agents that a message can address, by `@name` at its beginning."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....config.agents.profile import AgentProfile


def describe_agents(folder: Path, home: Path) -> Mapping[str, str]:
    """Return every agent that a message can address, with its description."""
    return {
        agent.name: agent.description
        for agent in _find_visible_agents(folder, home)
        if agent.mode != "subagent"
    }


def parse_agent_mention(message: str, folder: Path, home: Path) -> tuple[str, str]:
    """Return the addressed agent and the message without its name; empty: the thread's agent."""
    name, _, text = message.removeprefix("@").partition(" ")
    if not message.startswith("@") or not text.strip() or (folder / name).exists():
        return "", message
    # a known agent that cannot be addressed is rejected later, not taken for text
    names = {agent.name for agent in _find_visible_agents(folder, home)}
    return (name, text.strip()) if name in names else ("", message)


def _find_visible_agents(folder: Path, home: Path) -> "Iterable[AgentProfile]":
    from ....config.agents.registry import find_agents  # imports YAML
    from ....config.trust.decision import check_trust

    registry = find_agents(folder, home, check_trust(folder, home))
    return (agent for agent in registry.profiles.values() if not agent.hidden)
