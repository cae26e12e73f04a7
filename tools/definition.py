"""Definition of a tool: a LangChain tool with effect, path arguments and description."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_type_hints

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, create_model

from .result import CallResult, ToolError

# read: only reads · fetch: reads from the network, asked by host · edit: writes files · execute:
# runs a program · talk: asks the user · note: changes the thread's own state only. `edit` and
# `execute` are never blindly repeated.
Effect = Literal["read", "fetch", "edit", "execute", "talk", "note"]

ToolFunction = Callable[..., Awaitable[CallResult]]
# the names of the arguments that are paths, or what finds the paths in the arguments
Paths = tuple[str, ...] | Callable[[Mapping[str, object]], list[str]]
# the entry of the metadata of a program's tool that changes with its code
DIGEST = "digest"


def tool(
    effect: Effect, *, paths: Paths = (), shows: bool = False
) -> Callable[[ToolFunction], BaseTool]:
    """Make a tool of an async function `(…arguments, run: Run) -> CallResult`.

    The function's name is the tool's name. The model reads `<name>.md` beside its module, or the
    docstring if there is none. `paths` names the arguments that are paths in the project, or finds
    every path in them that the tool may open; it may raise ToolError. `shows`: a file which the
    tool has shown counts as read.
    """

    def build_tool(function: ToolFunction) -> BaseTool:
        return StructuredTool.from_function(
            coroutine=function,
            args_schema=_build_arguments(function),
            name=function.__name__,
            description=_read_description(function),
            metadata={"effect": effect, "paths": paths, "shows": shows},
        )

    return build_tool


def get_effect(subject: BaseTool) -> Effect:
    """Get the tool's effect."""
    # a foreign tool without one is treated as the most dangerous
    return cast(Effect, (subject.metadata or {}).get("effect", "execute"))


def extract_paths(subject: BaseTool, args: Mapping[str, object]) -> list[str]:
    """Find the paths in a call's arguments, as written; an empty one is the tool's default.

    Arguments that the tool cannot parse name none.
    """
    paths = cast(Paths, (subject.metadata or {}).get("paths", ()))
    if not callable(paths):
        return [path for path in map(args.get, paths) if isinstance(path, str) and path]
    try:
        return paths(args)
    except ToolError:
        return []


def is_read_only_tool(subject: BaseTool) -> bool:
    """Return whether it changes nothing, so that it may run together with others of its kind."""
    return get_effect(subject) in ("read", "fetch")


def can_show_files(subject: BaseTool) -> bool:
    """Return whether it only reads, and a file that it has shown counts as read."""
    return get_effect(subject) == "read" and bool((subject.metadata or {}).get("shows"))


def has_effect(subject: BaseTool) -> bool:
    """Return whether running it twice could matter."""
    return get_effect(subject) in ("edit", "execute")


def get_schema(subject: BaseTool) -> dict[str, Any]:
    """Get the JSON schema of the arguments that a model may give."""
    schema = subject.tool_call_schema
    if isinstance(schema, dict):  # of a server's tool
        return schema
    return schema.model_json_schema()  # type: ignore[union-attr]


def _build_arguments(function: ToolFunction) -> type[BaseModel]:
    """Build the model of the arguments; LangChain builds three for it, at the start of each run."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
    }
    return create_model(function.__name__, __doc__=function.__doc__, **fields)


def _read_description(function: ToolFunction) -> str:
    text = Path(inspect.getfile(function)).with_name(f"{function.__name__}.md")
    return text.read_text(encoding="utf-8").strip() if text.is_file() else (function.__doc__ or "")
