"""The system prompt of a role: its words, the user's, the place. It never changes in a thread."""

import platform
from functools import cache
from importlib import resources

from langchain_core.messages import SystemMessage

from ..config.settings import AgentsSection
from .roles import Role

TEMPLATE = """{words}

The project is `{folder}` ({system}). Tools take paths relative to it."""


@cache
def _words(role: str) -> str:
    text = resources.files(__package__ or "").joinpath(f"{role}.md")
    return text.read_text(encoding="utf-8").strip()


def system_prompt(role: Role, folder: str, agents: AgentsSection) -> SystemMessage:
    """The first message of every request of this role; the same bytes each time."""
    added = getattr(agents, role.name).system_prompt.strip()
    words = "\n\n".join(filter(None, (_words(role.name), added)))
    text = TEMPLATE.format(words=words, folder=folder, system=platform.system())
    return SystemMessage(text, id=f"system-{role.name}")
