"""Registry of all tools in a fixed order, with lookup by name and alias.

A tool's module is imported when the tool is first requested: an agent that only reads starts
without the edit engine.
"""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from typing import cast, get_type_hints

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from ...config.errors import UsageError
from ...config.settings.schema import ToolsSection
from ...config.text import text
from ...models.tool_arguments import make_valid_name
from .. import aliases
from ..todo_list import Item
from ..tool_table import TOOLS

NAMES = tuple(TOOLS)
PROGRAM_NAMES = set[str]()
"""Names of the tools that this program has given to a Runner."""
# How the names of tools of MCP servers begin; these come and go with their server
MCP_PREFIX = "mcp_"


@cache
def load_tool(name: str) -> BaseTool:
    """Load the tool with this name."""
    return getattr(import_module(f"..{TOOLS[name].module}", __package__), name)


def load_all_tools() -> tuple[BaseTool, ...]:
    """Load every tool, in the fixed order."""
    return tuple(map(load_tool, NAMES))


def select_tools(names: Collection[str] | None, chosen: ToolsSection) -> tuple[BaseTool, ...]:
    """Return the tools with these names, or all, without those that the configuration excludes.

    Raises UsageError if the configuration names an unknown tool.
    """
    enabled, disabled = (
        _resolve_names("enabled", chosen.enabled),
        _resolve_names("disabled", chosen.disabled),
    )
    if "use_mcp_tool" in enabled or any(name.startswith("mcp_") for name in chosen.enabled):
        enabled |= {"find_tools", "use_mcp_tool"}
    selected_names = set(NAMES if names is None else names) & (enabled or set(NAMES))
    return tuple(load_tool(name) for name in NAMES if name in selected_names - disabled)


@lru_cache(maxsize=256)
def resolve(name: str) -> BaseTool | None:
    """Return the tool with this name or alias."""
    own = aliases.resolve_tool_name(name, NAMES)
    return load_tool(own) if own in NAMES else None


def canonical(name: str, args: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return a call with the tool's own name and argument names; an unknown tool stays as it is."""
    if resolve(name) is None:
        name = aliases.strip_namespace(name)
    name, args = aliases.translate_editor_call(name, args)
    tool = resolve(name)
    if tool is None:
        return name, dict(args)
    renamed = aliases.rename_arguments(tool.name, args, _list_parameters(tool))
    return tool.name, _fold_task(renamed) if tool.name == "todowrite" else renamed


def describe_unknown_tool(name: str, names: Iterable[str]) -> str:
    """Describe the error for a model that called an unknown tool."""
    tool_names = list(names)
    close = get_close_matches(
        aliases.resolve_tool_name(name, tool_names), tool_names, n=3, cutoff=0.5
    )
    suggestion = (
        text(
            "; did you mean {names}?",
            names=", ".join(f"`{suggested_name}`" for suggested_name in close),
        )
        if close
        else "."
    )
    own = [tool_name for tool_name in tool_names if not tool_name.startswith(MCP_PREFIX)]
    values = {"name": make_valid_name(name), "suggestion": suggestion, "names": ", ".join(own)}
    if len(own) == len(tool_names):
        return text("There is no tool `{name}`{suggestion} There are: {names}", **values)
    return text(
        "There is no tool `{name}`{suggestion} There are: {names}; and {count} of MCP servers",
        **values,
        count=len(tool_names) - len(own),
    )


def _resolve_names(key: str, names: Iterable[str]) -> set[str]:
    own = [name for name in names if not name.startswith("mcp_")]  # a tool of a server
    tool_names = {aliases.resolve_tool_name(name, NAMES) for name in own}
    own = {name for name in tool_names if not name.startswith(MCP_PREFIX)}
    if unknown := sorted(own - {*NAMES}):
        raise UsageError(
            text(
                "`tools.{key}` contains `{tool}`, which is not a tool",
                key=key,
                tool=unknown[0],
            ),
            hint=text("available: {names}", names=", ".join(NAMES)),
        )
    return tool_names


def _list_parameters(tool: BaseTool) -> list[str]:
    return list(cast("type[BaseModel]", tool.args_schema).model_fields)


def _fold_task(args: dict[str, object]) -> dict[str, object]:
    """Convert a single task in the call's own arguments to the list that todowrite takes."""
    item = {key: args.pop(key) for key in get_type_hints(Item) if key in args}
    return {**args, "todos": [item]} if item and "todos" not in args else {**args, **item}
