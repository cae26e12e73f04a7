"""Agents that a message can be addressed to, by `@name` at its beginning."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....config.agents.profile import AgentProfile


def describe_agents(folder: Path, home: Path) -> Mapping[str, str]:
    """Every agent that a message can be for, with what it is for."""
    return {
        one.name: one.description
        for one in _find_visible_agents(folder, home)
        if one.mode != "subagent"
    }


def parse_agent_mention(message: str, folder: Path, home: Path) -> tuple[str, str]:
    """The agent that a message is for, and the message without its name; empty: the thread's."""
    name, _, text = message.removeprefix("@").partition(" ")
    if not message.startswith("@") or not text.strip() or (folder / name).exists():
        return "", message
    # one that speaks with nobody is refused when it is asked, not taken for a word
    names = {one.name for one in _find_visible_agents(folder, home)}
    return (name, text.strip()) if name in names else ("", message)


def _find_visible_agents(folder: Path, home: Path) -> "Iterable[AgentProfile]":
    from ....config.agents.registry import find_agents  # brings YAML
    from ....config.trust.decision import check_trust

    found = find_agents(folder, home, check_trust(folder, home))
    return (one for one in found.profiles.values() if not one.hidden)
