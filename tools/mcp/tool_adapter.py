"""A server's tool as a LangChain tool: name, description and schema as a model is shown them."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import SkipValidation

from ...config.security.control_characters import CONTROL_CHARACTERS
from ..result import ToolError
from .definition import ToolDefinition

# What the names of all tools of servers begin with
PREFIX = "mcp_"
# Characters of a name, and of a description, that a model is shown
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 2_000
_HASH_LENGTH = 6
_INVISIBLE = re.compile(f"[{CONTROL_CHARACTERS}]")


class McpTool(BaseTool):
    """A tool of a server. MaxAgent calls it by its definition, so LangChain cannot."""

    definition: SkipValidation[ToolDefinition]
    is_repeatable: bool = False
    """Whether a call that was cut short may run again: a user's server says that it only reads."""

    def _run(self, *args: object, **kwargs: object) -> object:
        raise ToolError(f"`{self.name}` is called over its server's connection")


def build_tool(name: str, definition: ToolDefinition, *, from_project: bool) -> McpTool:
    """Build the tool under this name; nothing is believed of a project's own server."""
    return McpTool(
        name=name,
        description=describe_tool(definition),
        args_schema=dict(definition.schema) or {"type": "object", "properties": {}},
        metadata={"effect": "execute"},
        definition=definition,
        is_repeatable=definition.read_only and not from_project,
    )


def describe_tool(definition: ToolDefinition) -> str:
    """Return the description that a model reads: without hidden characters, and bounded."""
    words = remove_hidden(definition.description or definition.title).strip()
    if len(words) > LONGEST_DESCRIPTION:
        words = words[:LONGEST_DESCRIPTION].rstrip() + "…"
    return f"[MCP:{definition.server}] {words}".rstrip()


def remove_hidden(text: str) -> str:
    """Return the text without characters that a model would read and no person sees."""
    return _INVISIBLE.sub("", text)


def show_hidden(text: str) -> str:
    """Return the text with such characters as `U+200B`, for a person to review."""
    return _INVISIBLE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def name_tools(definitions: Iterable[ToolDefinition]) -> dict[str, ToolDefinition]:
    """Return the tools by the names that models call, sorted by server and name.

    Tools whose names permission rules could not tell apart get a short hash.
    """
    unique = {(one.server, one.name): one for one in definitions}
    ordered = [unique[key] for key in sorted(unique)]
    counts = Counter(_fold_name(make_tool_name(one.server, one.name)) for one in ordered)
    named = dict[str, ToolDefinition]()
    for one in ordered:
        name = make_tool_name(one.server, one.name)
        is_taken = counts[_fold_name(name)] > 1
        named[_add_hash(name, one.server, one.name) if is_taken else name] = one
    return named


def make_tool_name(server: str, tool: str) -> str:
    """Return `mcp_SERVER_TOOL` with the characters that every provider accepts."""
    name = PREFIX + re.sub(r"[^a-zA-Z0-9_-]", "_", f"{server}_{tool}")
    return name if len(name) <= LONGEST_NAME else _add_hash(name, server, tool)


def find_text_argument(schema: Mapping[str, Any]) -> str:
    """Return the tool's one required argument if that is a text; else empty."""
    required, properties = schema.get("required", []), schema.get("properties", {})
    if len(required) != 1:
        return ""
    return str(required[0]) if properties.get(required[0], {}).get("type") == "string" else ""


def _add_hash(name: str, server: str, tool: str) -> str:
    digest = hashlib.sha256(f"{server}\n{tool}".encode()).hexdigest()[:_HASH_LENGTH]
    return f"{name[: LONGEST_NAME - _HASH_LENGTH - 1]}_{digest}"


def _fold_name(name: str) -> str:
    """Return the name as permission rules compare it."""
    return re.sub("__+", "_", name).casefold()
