"""Run one tool call: arguments checked, refusals and failures turned into words, never a crash."""

import asyncio
import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

from langchain_core.tools import BaseTool, InjectedToolArg
from pydantic import BaseModel, ValidationError

from ..definition import effect_of, named_paths, schema_of
from ..process.truncation import excerpt
from ..result import ToolRefusal, ToolResult, ToolRun
from .post_edit_checks import checked
from .result_redaction import refuse_marks, without_secrets

LONGEST_ANSWER = 60_000
"""Bytes of one answer that reach the model."""


async def invoke(tool: BaseTool, args: Mapping[str, object], run: ToolRun) -> ToolResult:
    """The tool's answer, no secret in it; whatever goes wrong is an error, but cancellation."""
    return without_secrets(await _answer(tool, args, run))


async def _answer(tool: BaseTool, args: Mapping[str, object], run: ToolRun) -> ToolResult:
    try:
        if problem := _wrong_arguments(tool, args):
            return ToolResult(error=f"{problem}. {_signature(tool)}")
        paths = named_paths(tool, args) if effect_of(tool) == "edit" else []
        if effect_of(tool) == "edit":
            await asyncio.to_thread(refuse_marks, args, paths, run.workspace)
        if paths and run.policy:
            return await checked(lambda: _call(tool, args, run), paths, run, run.policy)
        return await _call(tool, args, run)
    except ToolRefusal as refusal:
        return ToolResult(error=str(refusal))
    except Exception as error:
        return ToolResult(error=f"internal error in {tool.name}: {type(error).__name__}: {error}")


def for_model(result: ToolResult) -> str:
    """What the model reads of a result: the error and the output, of a bounded length."""
    error = f"Error: {result.error}" if result.error else ""
    text = "\n\n".join(part for part in (error, result.output) if part).replace("\0", "")
    data = text.encode(errors="replace")
    if len(data) <= LONGEST_ANSWER:
        return data.decode()
    return excerpt(data, "ask for less", keep=LONGEST_ANSWER // 2)


async def _call(tool: BaseTool, args: Mapping[str, object], run: ToolRun) -> ToolResult:
    given: dict[str, Any] = {**args, **({"run": run} if _takes_run(tool) else {})}
    return _as_result(await tool.ainvoke(given))


def _takes_run(tool: BaseTool) -> bool:
    return InjectedToolArg in _fields(tool).get("run", ())


def _fields(tool: BaseTool) -> dict[str, list[Any]]:
    """The arguments and their annotations' metadata; none for a tool described by JSON alone."""
    schema = tool.args_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return {}
    return {name: field.metadata for name, field in schema.model_fields.items()}


def _wrong_arguments(tool: BaseTool, args: Mapping[str, object]) -> str:
    """What is wrong with the arguments, all of it; empty when they fit."""
    fields = _fields(tool)
    if not fields:
        return ""
    known = [name for name, metadata in fields.items() if InjectedToolArg not in metadata]
    problems = [_unknown(name, known) for name in args if name not in known]
    try:
        schema = cast("type[BaseModel]", tool.args_schema)
        schema.model_validate({**args, "run": None})
    except ValidationError as error:
        problems += [
            f"`{'.'.join(map(str, problem['loc']))}`: {problem['msg']}"
            for problem in error.errors(include_url=False, include_context=False)
        ]
    return "; ".join(problems)


def _unknown(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"there is no argument `{name}`" + (f" (`{close[0]}`?)" if close else "")


def _signature(tool: BaseTool) -> str:
    schema = schema_of(tool)
    required = schema.get("required", [])
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    arguments = [
        f"{name}: {_type_name(about)}"
        + ("" if name in required else f" = {json.dumps(about.get('default'))}")
        for name, about in properties.items()
    ]
    return f"It takes {tool.name}({', '.join(arguments)})"


def _type_name(about: Mapping[str, Any]) -> str:
    if "enum" in about:
        return " | ".join(map(json.dumps, about["enum"]))
    if "anyOf" in about:
        return " | ".join(_type_name(choice) for choice in about["anyOf"])
    return str(about.get("type", "object"))


def _as_result(answer: object) -> ToolResult:
    """Our own tools answer with a ToolResult, foreign ones with text, blocks or anything."""
    if isinstance(answer, ToolResult):
        return answer
    if isinstance(answer, list):
        return ToolResult("\n".join(_block_text(block) for block in cast("list[object]", answer)))
    return ToolResult(answer if isinstance(answer, str) else str(answer))


def _block_text(block: object) -> str:
    if isinstance(block, Mapping):
        blocks = cast("Mapping[str, object]", block)
        return str(blocks.get("text", f"[{blocks.get('type', 'content')}]"))
    return str(block)
