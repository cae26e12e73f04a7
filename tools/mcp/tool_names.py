"""The names by which models call the tools of servers; needs no import of LangChain."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from .definition import ToolDefinition
    from .tool_adapter import McpTool

# What the names of all tools of servers begin with
PREFIX = "mcp_"
# Characters of a name
MAX_NAME_LENGTH = 64
_HASH_LENGTH, _MAX_HASH_LENGTH = 6, 32


def name_tools(definitions: "Iterable[ToolDefinition]") -> "dict[str, ToolDefinition]":
    """Return the tools by the names that models call, sorted by server and name.

    Tools whose names permission rules could not tell apart get a short hash.
    """
    unique = {(tool.server, tool.name): tool for tool in definitions}
    ordered = [unique[key] for key in sorted(unique)]
    names = [make_tool_name(tool.server, tool.name) for tool in ordered]
    # a server may choose the name that another tool gets: all that meet get a longer hash
    for length in range(_HASH_LENGTH, _MAX_HASH_LENGTH):
        counts = Counter(map(fold_name, names))
        if len(counts) == len(names):
            break
        names = [
            _add_hash(name, tool.server, tool.name, length) if counts[fold_name(name)] > 1 else name
            for name, tool in zip(names, ordered, strict=True)
        ]
    return dict(zip(names, ordered, strict=True))


def make_tool_name(server: str, tool: str) -> str:
    """Return `mcp_SERVER_TOOL` with the characters that every provider accepts."""
    name = PREFIX + re.sub(r"[^a-zA-Z0-9_-]", "_", f"{server}_{tool}")
    return name if len(name) <= MAX_NAME_LENGTH else _add_hash(name, server, tool)


def _add_hash(name: str, server: str, tool: str, length: int = _HASH_LENGTH) -> str:
    digest = hashlib.sha256(f"{server}\n{tool}".encode()).hexdigest()[:length]
    return f"{name[: MAX_NAME_LENGTH - length - 1]}_{digest}"


def is_server_tool(tool: "BaseTool") -> "TypeGuard[McpTool]":
    """Return whether a server gives the tool; nothing of MCP is loaded for a tool of ours."""
    if not tool.name.startswith(PREFIX):
        return False
    from .tool_adapter import McpTool

    return isinstance(tool, McpTool)


def fold_name(name: str) -> str:
    """Return the name as permission rules compare it."""
    return re.sub("__+", "_", name).casefold()
