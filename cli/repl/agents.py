"""Agents that a message can be addressed to, by `@name` at its beginning."""

from collections.abc import Mapping
from pathlib import Path


def agents_by_name(folder: Path, home: Path) -> Mapping[str, str]:
    """Every agent that can be named, with what it is for."""
    from ...config.agent_profiles import agents  # brings YAML
    from ...config.trust import trust_of

    found = agents(folder, home, trust_of(folder, home)).values()
    return {one.name: one.description for one in found if not one.hidden}


def addressed(message: str, folder: Path, home: Path) -> tuple[str, str]:
    """The agent that a message is for, and the message without its name; empty: the thread's."""
    name, _, text = message.removeprefix("@").partition(" ")
    if not message.startswith("@") or not text.strip() or (folder / name).exists():
        return "", message
    return (name, text.strip()) if name in agents_by_name(folder, home) else ("", message)
