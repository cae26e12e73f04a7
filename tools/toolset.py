"""All tools in their one order, chosen by name, found by any name that models use for them."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import cast, get_type_hints

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from ..config.errors import UsageError
from ..config.settings import ToolsSection
from . import aliases
from .apply_patch import apply_patch
from .ask_user import ask_user
from .attempt_completion import attempt_completion
from .command_output import command_output
from .edit import edit
from .git import git_branch, git_diff, git_log, git_status
from .glob import glob
from .grep import grep
from .list_files import list_files
from .plan_mode import plan_enter, plan_exit, plan_mode_respond
from .read_file import read_file
from .replace_in_file import replace_in_file
from .run_command import run_command
from .todo import todoclear, todoread, todowrite
from .todo_list import Item
from .webfetch import webfetch
from .write_file import write_file

ALL: tuple[BaseTool, ...] = (
    read_file,
    list_files,
    glob,
    grep,
    edit,
    write_file,
    replace_in_file,
    apply_patch,
    run_command,
    command_output,
    git_status,
    git_diff,
    git_log,
    git_branch,
    todowrite,
    todoread,
    todoclear,
    ask_user,
    attempt_completion,
    webfetch,
    plan_enter,
    plan_exit,
    plan_mode_respond,
)
"""The order is fixed: the prompt's beginning must stay the same, byte for byte."""

_BY_NAME = {tool.name: tool for tool in ALL}


def tools_for(names: Collection[str] | None, chosen: ToolsSection) -> tuple[BaseTool, ...]:
    """The tools with these names, or all, less what the configuration leaves out.

    Raises UsageError when the configuration names a tool that there is not.
    """
    enabled, disabled = _named("enabled", chosen.enabled), _named("disabled", chosen.disabled)
    wanted = set(_BY_NAME if names is None else names) & (enabled or set(_BY_NAME))
    return tuple(tool for tool in ALL if tool.name in wanted - disabled)


def resolve(name: str) -> BaseTool | None:
    """The tool with this name or alias."""
    return _BY_NAME.get(aliases.tool_name(name, _BY_NAME))


def canonical(name: str, args: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """A call under the tool's own name and argument names; an unknown tool stays as it is."""
    tool = resolve(name)
    if tool is None:
        return name, dict(args)
    renamed = aliases.arguments(tool.name, args, _parameters(tool))
    return tool.name, _folded(renamed) if tool is todowrite else renamed


def unknown_tool(name: str, names: Iterable[str]) -> str:
    """What to tell a model that called a tool there is not."""
    known = list(names)
    close = get_close_matches(aliases.tool_name(name, known), known, n=3, cutoff=0.5)
    meant = f"; did you mean {', '.join(f'`{one}`' for one in close)}?" if close else "."
    return f"There is no tool `{name}`{meant} There are: {', '.join(known)}"


def _named(key: str, names: Iterable[str]) -> set[str]:
    found = {aliases.tool_name(name, _BY_NAME) for name in names}
    if unknown := sorted(found - set(_BY_NAME)):
        raise UsageError(
            f"`tools.{key}` names `{unknown[0]}`, which is no tool",
            hint=f"there are: {', '.join(_BY_NAME)}",
        )
    return found


def _parameters(tool: BaseTool) -> list[str]:
    return list(cast("type[BaseModel]", tool.args_schema).model_fields)


def _folded(args: dict[str, object]) -> dict[str, object]:
    """A single task given in the call's own arguments becomes the list that todowrite takes."""
    item = {key: args.pop(key) for key in get_type_hints(Item) if key in args}
    return {**args, "todos": [item]} if item and "todos" not in args else {**args, **item}
