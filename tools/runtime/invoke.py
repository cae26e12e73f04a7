"""Invocation of one tool call: checked arguments, and errors as text for the model."""

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

from langchain_core.tools import BaseTool, InjectedToolArg
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from ..definition import DIGEST, extract_paths, get_effect, get_schema
from ..process.truncation import make_excerpt
from ..result import CallResult, ToolError
from ..tool_run import ToolRun
from .post_edit_checks import edit_and_check
from .result_redaction import refuse_marks, without_secrets

# bytes of one answer that reach the model
MAX_ANSWER_BYTES = 60_000
# Types of LangChain's content blocks
BLOCKS = frozenset({"text", "image", "image_url", "audio", "video", "file"})
_logger = logging.getLogger(__name__)


async def invoke(tool: BaseTool, args: Mapping[str, object], run: ToolRun) -> CallResult:
    """Run a call and redact its result; every exception but cancellation becomes its error."""
    started = time.monotonic()
    _logger.info("tool call started: %s %s", tool.name, run.call_id)
    result = without_secrets(await _invoke_tool(tool, args, run))
    seconds, outcome = time.monotonic() - started, "ok" if result.ok else "error"
    _logger.info(
        "tool call finished in %.1f s: %s %s: %s", seconds, tool.name, run.call_id, outcome
    )
    return result


async def _invoke_tool(tool: BaseTool, args: Mapping[str, object], run: ToolRun) -> CallResult:
    try:
        if problem := describe_wrong_arguments(tool, args):
            return CallResult(error=f"{problem}. {_format_signature(tool)}")
        paths = extract_paths(tool, args) if get_effect(tool) == "edit" else []
        if get_effect(tool) == "edit":
            await asyncio.to_thread(refuse_marks, args, paths, run.workspace)
        if paths and run.policy:
            return await edit_and_check(lambda: _call_tool(tool, args, run), paths, run, run.policy)
        return await _call_tool(tool, args, run)
    except ToolError as refusal:
        return CallResult(error=str(refusal))
    except Exception as error:
        described = f"{type(error).__name__}: {error}"
        is_own = DIGEST not in (tool.metadata or {})
        return CallResult(
            error=f"internal error in {tool.name}: {described}" if is_own else described
        )


def render_for_model(result: CallResult) -> str:
    """Render a result for the model: the error and the output, cut to a limit."""
    error = f"Error: {result.error}" if result.error else ""
    text = "\n\n".join(part for part in (error, result.output) if part).replace("\0", "")
    data = text.encode(errors="replace")
    if len(data) <= MAX_ANSWER_BYTES:
        return data.decode()
    return make_excerpt(data, "ask for less", keep=MAX_ANSWER_BYTES // 2)


async def _call_tool(tool: BaseTool, args: Mapping[str, object], run: ToolRun) -> CallResult:
    arguments: dict[str, Any] = {**args, **({"run": run} if _needs_run(tool) else {})}
    return _as_result(await tool.ainvoke(arguments))


def _needs_run(tool: BaseTool) -> bool:
    return InjectedToolArg in _get_fields(tool).get("run", ())


def _get_fields(tool: BaseTool) -> dict[str, list[Any]]:
    """Get the arguments and the metadata of their annotations; none for a JSON schema."""
    schema = tool.args_schema
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return {}
    return {name: field.metadata for name, field in schema.model_fields.items()}


def describe_wrong_arguments(tool: BaseTool, args: Mapping[str, object]) -> str:
    """Describe all that is wrong with the arguments; empty if nothing is."""
    fields = _get_fields(tool)
    if not fields:
        return ""
    parameters = [name for name, metadata in fields.items() if InjectedToolArg not in metadata]
    problems = [_describe_unknown(name, parameters) for name in args if name not in parameters]
    try:
        schema = cast("type[BaseModel]", tool.args_schema)
        schema.model_validate({**args, **({"run": None} if _needs_run(tool) else {})})
    except ValidationError as error:
        problems += [
            f"`{'.'.join(map(str, problem['loc']))}`: {problem['msg']}"
            for problem in error.errors(include_url=False, include_context=False)
        ]
    return "; ".join(problems)


def _describe_unknown(name: str, parameters: list[str]) -> str:
    close = get_close_matches(name, parameters, n=1)
    return f"there is no argument `{name}`" + (f" (`{close[0]}`?)" if close else "")


def _format_signature(tool: BaseTool) -> str:
    schema = get_schema(tool)
    required = schema.get("required", [])
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    arguments = [
        f"{name}: {_format_type(about)}"
        + ("" if name in required else f" = {json.dumps(about.get('default'))}")
        for name, about in properties.items()
    ]
    return f"It takes {tool.name}({', '.join(arguments)})"


def _format_type(about: Mapping[str, Any]) -> str:
    if "enum" in about:
        return " | ".join(map(json.dumps, about["enum"]))
    if "anyOf" in about:
        return " | ".join(_format_type(choice) for choice in about["anyOf"])
    return str(about.get("type", "object"))


def _as_result(answer: object) -> CallResult:
    # our own tools return a CallResult, others text, blocks or any value
    if isinstance(answer, CallResult):
        return answer
    if isinstance(answer, str):
        return CallResult(answer)
    items = cast("list[object]", answer) if isinstance(answer, list) else []
    blocks = [cast("Mapping[str, object]", item) for item in items if _is_block(item)]
    if blocks and len(blocks) == len(items):
        texts = [str(block.get("text", f"[{block['type']}]")) for block in blocks]
        return CallResult("\n".join(texts))
    try:
        return CallResult(to_json(answer, fallback=str).decode())
    except (ValueError, RecursionError):  # bytes that are no text, or a circle
        return CallResult(repr(cast(object, answer)))


def _is_block(item: object) -> bool:
    """Return whether the item is a content block of LangChain's."""
    return isinstance(item, Mapping) and cast("Mapping[str, object]", item).get("type") in BLOCKS
