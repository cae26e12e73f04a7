"""Invocation of one tool call: checked arguments, and errors as text for the model."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import groupby
from typing import Any, cast

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool, InjectedToolArg
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from ..definition import DIGEST, extract_paths, get_effect, get_schema
from ..filesystem.file_access import hash_content, read_bytes
from ..filesystem.text_codec import decode_text, to_printable
from ..named_scripts import explain_unconfirmed_command
from ..permissions.evaluate import evaluate_check
from ..permissions.policy import Policy
from ..permissions.post_edit_commands import find_all_checks
from ..process.truncation import make_excerpt
from ..result import CallResult, ToolError
from ..textedits.unified_diff import build_diff, count_changes
from ..tool_run import ToolRun
from ..workspace import Workspace
from .result_redaction import refuse_marks, without_secrets

# bytes of one answer that reach the model
MAX_ANSWER_BYTES = 60_000
# characters of a wrong argument that its refusal repeats
_MAX_SENT = 120
# Types of LangChain's content blocks
BLOCKS = frozenset({"text", "image", "image_url", "audio", "video", "file"})
_logger = logging.getLogger(__name__)

# most characters of the checks' changes that the model is shown; else it must read the file
MAX_SHOWN_CHARACTERS = 10_000

CHANGED = "After the edit the checks changed {names}:\n\n{diff}"
CHANGED_MUCH = "After the edit the checks changed {names} a lot: read again before you go on"
UNASKED = "it must be asked, and was not when the edit was"
NOT_RUN = "After the edit `{command}` was not run: {reason}"

# the bytes of files by path; None where there is no file that can be read
Contents = Mapping[str, bytes | None]


@dataclass(frozen=True)
class CheckResult:
    """A command to run after an edit, and its result."""

    command: str
    exit_code: int | None
    """None if it did not run."""
    message: str
    """What the model reads; empty if there is no message."""


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
    # LangChain takes bare arguments with `"type": "tool_call"` for a call, and runs other ones
    call = ToolCall(name=tool.name, args=arguments, id=None, type="tool_call")
    return _as_result(await tool.ainvoke(call))


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
        problems += _describe_problems(error, get_schema(tool), args)
    return "; ".join(problems)


def _describe_problems(
    error: ValidationError, schema: Mapping[str, Any], args: Mapping[str, object]
) -> list[str]:
    """Describe each wrong argument once; one with several forms by what it takes."""
    problems = error.errors(include_url=False, include_context=False)
    by_argument = groupby(problems, key=lambda problem: str((*problem["loc"], "")[0]))
    described = list[str]()
    for name, group in by_argument:
        first, *more = group
        about = schema.get("properties", {}).get(name)
        if about is None or not (more or len(first["loc"]) > 1):
            described.append(f"`{'.'.join(map(str, first['loc']))}`: {first['msg']}")
            continue
        example = json.dumps(_build_example(about, schema), ensure_ascii=False)
        sent = json.dumps(args.get(name), ensure_ascii=False, default=str)[:_MAX_SENT]
        described.append(
            f"`{name}` must be {_format_type(about)}, such as {example}; you sent {sent}"
        )
    return described


def _build_example(about: Mapping[str, Any], schema: Mapping[str, Any]) -> object:
    """Build a value that a part of a schema allows."""
    if choices := about.get("anyOf"):
        return _build_example(choices[0], schema)
    if "enum" in about:
        return about["enum"][0]
    if (reference := about.get("$ref")) is not None:
        return _build_example(schema.get("$defs", {}).get(reference.rpartition("/")[2], {}), schema)
    if about.get("type") == "array":
        return [_build_example(about.get("items", {}), schema)]
    fields = cast("Mapping[str, Mapping[str, Any]]", about.get("properties", {}))
    if about.get("type") == "object" or fields:
        names = about.get("required") or [name for name in fields if name != "id"][:1]
        return {name: _build_example(fields[name], schema) for name in names if name in fields}
    return {"integer": 1, "number": 1, "boolean": True}.get(str(about.get("type")), "text")


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


async def edit_and_check(
    edit: Callable[[], Awaitable[CallResult]], paths: Sequence[str], run: ToolRun, policy: Policy
) -> CallResult:
    """Edit the files that a call names, then run the checks of those that were written.

    Checks of other files were not decided with this call and do not run.
    """
    if not policy.after_edit:
        return await edit()
    before = await asyncio.to_thread(_read_before, run.workspace, paths)
    result = await edit()
    written = [name for name in _find_written(result) if name in before] if result.ok else []
    edited = await asyncio.to_thread(_read_contents, run.workspace, written)
    there = [name for name in written if edited[name] is not None]
    commands = find_all_checks(policy.after_edit, there)
    checks = [await _run_check(command, at, run, policy) for at, command in enumerate(commands, 1)]
    after = await asyncio.to_thread(_read_contents, run.workspace, written)
    checked_result = _append_results(result, checks)
    return (
        checked_result
        if after == edited
        else _append_changes(checked_result, before, edited, after)
    )


def _read_before(workspace: Workspace, paths: Sequence[str]) -> Contents:
    return _read_contents(
        workspace, [workspace.to_relative(workspace.resolve(path)) for path in paths]
    )


def _read_contents(workspace: Workspace, names: Sequence[str]) -> Contents:
    return {name: _read_content(workspace, name) for name in names}


def _read_content(workspace: Workspace, name: str) -> bytes | None:
    try:
        return read_bytes(workspace, workspace.resolve(name))
    except ToolError:
        return None


def _find_written(result: CallResult) -> list[str]:
    paths = result.metadata.get("paths") or [result.metadata.get("path")]
    return [path for path in cast("list[object]", paths) if isinstance(path, str)]


async def _run_check(command: str, number: int, run: ToolRun, policy: Policy) -> CheckResult:
    """Run one command; if it fails, the edit and its result remain."""
    decision = await asyncio.to_thread(evaluate_check, command, run.workspace, policy)
    if decision.verdict == "deny":
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=decision.reason))
    if decision.verdict == "ask" and command not in run.checks:
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=UNASKED))
    if reason := await asyncio.to_thread(explain_unconfirmed_command, command, run.workspace):
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=reason))
    from ..builtin.shell.shell_run import run_shell

    run.emit(f"$ {command}\n")
    own = replace(run, call_id=f"{run.call_id}-check-{number}")
    try:
        done = await run_shell(command, run.workspace.root, run.command_timeout, own)
    except (ToolError, OSError) as error:
        return CheckResult(command, None, NOT_RUN.format(command=command, reason=error))
    return CheckResult(
        command, cast(int, done.metadata["exit_code"]), _describe_result(command, done)
    )


def _describe_result(command: str, done: CallResult) -> str:
    output = done.output.strip() if done.metadata["bytes"] else ""
    if not (output or done.error):
        return ""
    head = f"After the edit `{command}` {f'failed, {done.error}' if done.error else 'said'}"
    return f"{head}:\n{output}" if output else head


def _append_results(result: CallResult, checks: Sequence[CheckResult]) -> CallResult:
    words = [check.message for check in checks if check.message]
    ran = [{"command": check.command, "exit_code": check.exit_code} for check in checks]
    return replace(
        result,
        output="\n\n".join([result.output, *words]),
        metadata={**result.metadata, **({"checks": ran} if ran else {})},
    )


def _append_changes(
    result: CallResult, before: Contents, edited: Contents, after: Contents
) -> CallResult:
    """Return the result for the files as the commands left them."""
    changed = [name for name in after if after[name] != edited[name]]
    diff = "".join(_build_diff(name, edited[name], after[name]) for name in changed)
    much = len(diff) > MAX_SHOWN_CHARACTERS
    words = (CHANGED_MUCH if much else CHANGED).format(
        names=", ".join(f"`{name}`" for name in changed), diff=diff
    )
    return replace(
        result,
        output=f"{result.output}\n\n{words.rstrip()}",
        metadata={**result.metadata, **_build_metadata(result, before, after)},
        seen=_update_seen(result.seen, after, unknown=changed if much else []),
    )


def _update_seen(
    seen: Mapping[str, str], after: Contents, unknown: Sequence[str]
) -> dict[str, str]:
    """Return what the model knows now: of a file that it was not shown, what it knew before."""
    known_digests = {name: digest for name, digest in seen.items() if name not in unknown}
    now = {
        name: hash_content(data)
        for name, data in after.items()
        if data is not None and name in known_digests
    }
    return known_digests | now


def _build_metadata(result: CallResult, before: Contents, after: Contents) -> dict[str, Any]:
    diffs = [_build_diff(name, before[name], data) for name, data in after.items()]
    counts = [count_changes(diff) for diff in diffs]
    added, removed = sum(count[0] for count in counts), sum(count[1] for count in counts)
    sizes = {"added": added, "removed": removed} if "added" in result.metadata else {}
    return {"diff": "".join(diffs), **sizes}


def _build_diff(name: str, old: bytes | None, new: bytes | None) -> str:
    return to_printable(build_diff(_decode_text(old), _decode_text(new), name))


def _decode_text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return decode_text(data).text
    except ToolError:  # a check has replaced it
        return data.decode(errors="backslashreplace")
