"""All tools in their one order, chosen by name, found by any name that models use for them.

A tool's module is imported when the tool is first asked for: an agent that only reads starts
without the edit engine.
"""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import cast, get_type_hints

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from ...config.errors import UsageError
from ...config.settings.schema import ToolsSection
from .. import aliases
from ..todo_list import Item

_MODULES = {
    "read_file": "builtin.files.read_file",
    "list_files": "builtin.files.list_files",
    "glob": "builtin.files.glob",
    "grep": "builtin.files.grep",
    "edit": "builtin.files.edit",
    "write_file": "builtin.files.write_file",
    "replace_in_file": "builtin.files.replace_in_file",
    "apply_patch": "builtin.files.apply_patch",
    "run_command": "builtin.shell.run_command",
    "command_output": "builtin.shell.command_output",
    "git_status": "builtin.shell.git_tools",
    "git_diff": "builtin.shell.git_tools",
    "git_log": "builtin.shell.git_tools",
    "git_branch": "builtin.shell.git_tools",
    "todowrite": "builtin.notes.todo",
    "todoread": "builtin.notes.todo",
    "todoclear": "builtin.notes.todo",
    "ask_user": "builtin.session.ask_user",
    "attempt_completion": "builtin.session.attempt_completion",
    "webfetch": "builtin.web.webfetch",
    "plan_enter": "builtin.session.plan_mode",
    "plan_exit": "builtin.session.plan_mode",
    "plan_mode_respond": "builtin.session.plan_mode",
}
"""The module of each. The order is fixed: a prompt's beginning stays the same, byte for byte."""
NAMES = tuple(_MODULES)


@cache
def tool_named(name: str) -> BaseTool:
    """The tool with one of the names."""
    return getattr(import_module(f"..{_MODULES[name]}", __package__), name)


def all_tools() -> tuple[BaseTool, ...]:
    """Every tool, in their order."""
    return tuple(map(tool_named, NAMES))


def tools_for(names: Collection[str] | None, chosen: ToolsSection) -> tuple[BaseTool, ...]:
    """The tools with these names, or all, less what the configuration leaves out.

    Raises UsageError when the configuration names a tool that there is not.
    """
    enabled, disabled = _named("enabled", chosen.enabled), _named("disabled", chosen.disabled)
    wanted = set(NAMES if names is None else names) & (enabled or set(NAMES))
    return tuple(tool_named(name) for name in NAMES if name in wanted - disabled)


def resolve(name: str) -> BaseTool | None:
    """The tool with this name or alias."""
    own = aliases.tool_name(name, NAMES)
    return tool_named(own) if own in NAMES else None


def canonical(name: str, args: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """A call under the tool's own name and argument names; an unknown tool stays as it is."""
    tool = resolve(name)
    if tool is None:
        return name, dict(args)
    renamed = aliases.arguments(tool.name, args, _parameters(tool))
    return tool.name, _folded(renamed) if tool.name == "todowrite" else renamed


def unknown_tool(name: str, names: Iterable[str]) -> str:
    """What to tell a model that called a tool there is not."""
    known = list(names)
    close = get_close_matches(aliases.tool_name(name, known), known, n=3, cutoff=0.5)
    meant = f"; did you mean {', '.join(f'`{one}`' for one in close)}?" if close else "."
    return f"There is no tool `{name}`{meant} There are: {', '.join(known)}"


def _named(key: str, names: Iterable[str]) -> set[str]:
    found = {aliases.tool_name(name, NAMES) for name in names}
    if unknown := sorted(found - set(NAMES)):
        raise UsageError(
            f"`tools.{key}` names `{unknown[0]}`, which is no tool",
            hint=f"there are: {', '.join(NAMES)}",
        )
    return found


def _parameters(tool: BaseTool) -> list[str]:
    return list(cast("type[BaseModel]", tool.args_schema).model_fields)


def _folded(args: dict[str, object]) -> dict[str, object]:
    """A single task given in the call's own arguments becomes the list that todowrite takes."""
    item = {key: args.pop(key) for key in get_type_hints(Item) if key in args}
    return {**args, "todos": [item]} if item and "todos" not in args else {**args, **item}
