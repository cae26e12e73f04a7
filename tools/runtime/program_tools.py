"""Tools of a program that embeds MaxAgent: its functions, and LangChain's tools."""

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, Literal, TypeVar, get_type_hints, overload

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import PydanticUserError

from ...config.arguments import validate_argument
from ...config.errors import UsageError
from ...config.text import text
from .. import aliases
from ..definition import DIGEST, get_effect, get_schema
from .registry import NAMES, PROGRAM_NAMES

ProgramEffect = Literal["read", "execute"]
ProgramTool = Callable[..., Any] | BaseTool
EFFECTS: tuple[str, ...] = ("read", "execute")
OTHER_CODE = (
    "`{name}` has other code than when this call was allowed, so it did not run. Call it again."
)
# Names of what the graphs themselves ask or note: an answer or a note must not be another's
RESERVED = {"review", "pull_request", "choose_attempt", "change_model", "run_tests", "hook"}
_EFFECT = "__maxagent_effect__"
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")
_Function = TypeVar("_Function", bound=Callable[..., Any])


@overload
def tool(function: _Function, /) -> _Function: ...
@overload
def tool(*, effect: ProgramEffect = "execute") -> Callable[[_Function], _Function]: ...
def tool(
    function: Callable[..., Any] | None = None, /, *, effect: ProgramEffect = "execute"
) -> Callable[..., Any]:
    """Declare what a function does: `read` runs unasked, `execute` is asked and journalled."""
    if function is not None and not callable(function):
        raise UsageError(
            text("{value} is no function with a name", value=repr(function)),
            hint='use `@tool(effect="read")` or `@tool`',
        )
    if effect not in EFFECTS:
        raise UsageError(
            text("a tool cannot have the effect `{effect}`", effect=effect),
            hint="use `read` or `execute`",
        )

    def declare(declared: _Function) -> _Function:
        setattr(declared, _EFFECT, effect)
        return declared

    return declare if function is None else declare(function)


def build_program_tools(parts: Sequence[ProgramTool]) -> tuple[BaseTool, ...]:
    """Build the tools of a program; raises UsageError for one that a model could not call."""
    validate_argument("tools", parts, Sequence[Any])
    tools = tuple(_build_tool(part) for part in parts)
    names = [each.name for each in tools]
    for name in names:
        if not _NAME.fullmatch(name) or name.startswith("mcp_"):
            raise UsageError(
                text("`{name}` is no name of a tool", name=name),
                hint="use letters, digits and `_`, and no `mcp_` at the beginning",
            )
        is_taken = name in RESERVED or aliases.resolve_tool_name(name, NAMES) in NAMES
        if is_taken or names.count(name) > 1:
            raise UsageError(
                text("there is a tool `{name}` already", name=name), hint="rename the function"
            )
    PROGRAM_NAMES.update(names)
    return tools


def find_code_change(called: str, subject: BaseTool) -> str:
    """Return why a call that was allowed for this digest may not run now; empty if it may."""
    digest = get_digest(subject)
    return OTHER_CODE.format(name=subject.name) if digest and digest != called else ""


def get_digest(subject: BaseTool) -> str:
    """Return the digest of a program's tool; empty for others."""
    return str((subject.metadata or {}).get(DIGEST, ""))


def _build_tool(part: ProgramTool) -> BaseTool:
    if isinstance(part, BaseTool):
        built, function = part, getattr(part, "coroutine", None) or getattr(part, "func", None)
        effect = get_effect(part)
        if effect not in EFFECTS:
            effect = "execute"
    else:
        built, function = _build_function_tool(part), part
        effect = getattr(part, _EFFECT, "execute")
    try:
        schema = json.dumps(get_schema(built))
    except PydanticUserError as error:
        raise _build_type_error(built.name, error) from error
    code = f"{_read_code(function or type(built))}\n{effect}\n{schema}"
    digest = hashlib.sha256(code.encode()).hexdigest()
    metadata = {**(built.metadata or {}), "effect": effect, "paths": (), DIGEST: digest}
    return built.model_copy(update={"metadata": metadata})


def _build_function_tool(function: Callable[..., Any]) -> BaseTool:
    name = getattr(function, "__name__", "")
    if not inspect.isroutine(function) or name == "<lambda>":
        raise UsageError(
            text("{value} is no function with a name", value=repr(function)),
            hint="give functions made with `def`, or LangChain's tools",
        )
    if not inspect.getdoc(function):
        raise UsageError(
            text("the function `{name}` has no docstring", name=name),
            hint="write what it does: the model reads it",
        )
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError) as error:
        raise _build_type_error(name, error) from error
    parameters = inspect.signature(function).parameters.values()
    untyped = [each.name for each in parameters if each.name not in hints]
    if untyped or any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters):
        raise UsageError(
            text("the function `{name}` has arguments without a type", name=name),
            hint="annotate each argument, and use neither `*args` nor `**kwargs`",
        )
    is_async = inspect.iscoroutinefunction(function)
    try:
        return StructuredTool.from_function(
            func=None if is_async else function,
            coroutine=function if is_async else None,
            name=name,
            description=inspect.getdoc(function) or "",
        )
    except PydanticUserError as error:
        raise _build_type_error(name, error) from error


def _build_type_error(name: str, error: Exception) -> UsageError:
    return UsageError(
        text(
            "the arguments of the tool `{name}` cannot be described to a model: {error}",
            name=name,
            error=str(error).partition("\n")[0],
        ),
        hint="use types that JSON has, TypedDicts, dataclasses or models of pydantic",
    )


def _read_code(part: object) -> str:
    try:
        return inspect.getsource(part)  # pyright: ignore[reportArgumentType]
    except (OSError, TypeError):  # typed at Python's prompt, or compiled
        code = getattr(part, "__code__", None)
        return _describe_code(code) if code else repr(type(part))


def _describe_code(code: CodeType) -> str:
    """Describe code, the same in every process: the `repr` of nested code has addresses."""
    constants = [
        _describe_code(each) if isinstance(each, CodeType) else repr(each)
        for each in code.co_consts
    ]
    return f"{code.co_code!r}{code.co_names!r}{constants!r}"
