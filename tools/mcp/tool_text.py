"""What servers say of their tools, as models and people are shown it."""

import re

from ...config.security.control_characters import CONTROL_CHARACTERS
from .definition import ToolDefinition

# Characters of a description that a model is shown
MAX_DESCRIPTION_LENGTH = 2_000
_INVISIBLE = re.compile(f"[{CONTROL_CHARACTERS}]")


def describe_tool(definition: ToolDefinition) -> str:
    """Return the description that a model reads: without hidden characters, and bounded."""
    words = remove_hidden(definition.description or definition.title).strip()
    if len(words) > MAX_DESCRIPTION_LENGTH:
        words = words[:MAX_DESCRIPTION_LENGTH].rstrip() + "…"
    return f"[MCP:{definition.server}] {words}".rstrip()


def remove_hidden(text: str) -> str:
    """Return the text without characters that a model would read and no person sees."""
    return _INVISIBLE.sub("", text)


def show_hidden(text: str) -> str:
    """Return the text with such characters as `U+200B`, for a person to review."""
    return _INVISIBLE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)
