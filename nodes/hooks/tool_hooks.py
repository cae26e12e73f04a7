"""Hooks around one call: before it runs they deny it or have it asked, after it they add notes."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from ...config.settings.hooks import ConfiguredHook
from ...memory.journal import FinishedCall, StartedCall
from ...tools.hooks.answer import HookAnswer
from ...tools.hooks.payload import HookedCall, build_call_fields, build_result_fields
from ...tools.result import CallResult
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..tool_task import PendingCall, ToolTask, get_journal_key, list_named_files
from .journaled_runs import run_hooks

DENIED = "A hook refused this call: {reason}"
CALL_ALONE = "A hook wants the user to be asked about this call ({reason}); call the tool alone"
HOOK_NOTE = "The hook `{command}` says:\n{note}"
OBJECTED = "The hook `{command}` objects:\n{reason}"
# What the ID of a call ends with where its result is kept while hooks run after it
_KEPT = "-answer"


@dataclass(frozen=True)
class HookDecision:
    """What the hooks before a call decide."""

    verdict: Literal["pass", "deny", "ask"] = "pass"
    reason: str = ""
    notes: tuple[str, ...] = ()
    """Text for the model, beside the result."""


async def run_before_hooks(
    hooks: Sequence[ConfiguredHook],
    task: ToolTask,
    tool: BaseTool,
    deps: Dependencies,
    runtime: Runtime[Context],
) -> HookDecision:
    """Return what the hooks decide; what they have asked before, the user has answered."""
    call = task["call"]
    recorded_call = await asyncio.to_thread(
        deps.journal.find_call, get_thread_id(runtime), get_journal_key(call)
    )
    # a call on record has passed its hooks; those that are new since then come too late
    answers = await run_hooks(
        hooks,
        f"{get_journal_key(call)}-{_hash_arguments(call)}",
        await asyncio.to_thread(_build_fields, call, tool, deps, task),
        deps,
        runtime,
        only_known=recorded_call is not None,
    )
    notes = tuple(_format_notes(answers))
    for _, answer in answers:
        if answer.verdict == "deny":
            return HookDecision("deny", DENIED.format(reason=answer.reason))
    asking = [answer.reason for _, answer in answers if answer.verdict == "ask"]
    if not asking or "hook" in call:
        return HookDecision(notes=notes)
    reason = "; ".join(asking)
    if task.get("together"):
        return HookDecision("deny", CALL_ALONE.format(reason=reason))
    return HookDecision("ask", reason)


async def run_after_hooks(
    hooks: Sequence[ConfiguredHook],
    task: ToolTask,
    tool: BaseTool,
    result: CallResult,
    deps: Dependencies,
    runtime: Runtime[Context],
) -> CallResult:
    """Return the result with what the hooks say; it is on record before the first one runs."""
    key = get_journal_key(task["call"])
    await asyncio.to_thread(_keep_result, deps, get_thread_id(runtime), key, result)
    fields = await asyncio.to_thread(_build_fields, task["call"], tool, deps, task)
    fields |= build_result_fields(result)
    answers: list[tuple[ConfiguredHook, HookAnswer]] = []
    for hook in hooks:  # an objection keeps no other hook from running: the call has run
        answers += await run_hooks([hook], key, fields, deps, runtime)
    notes = _format_notes(answers)
    return replace(result, output="\n\n".join([result.output, *notes])) if notes else result


def find_kept_result(deps: Dependencies, thread: str, call: PendingCall) -> CallResult | None:
    """Return the result of a call that was killed while hooks ran after it; blocks."""
    recorded_call = deps.journal.find_call(thread, get_journal_key(call) + _KEPT)
    return CallResult(**recorded_call.result) if isinstance(recorded_call, FinishedCall) else None


def _keep_result(deps: Dependencies, thread: str, key: str, result: CallResult) -> None:
    call_record = deps.journal.begin_call(thread, key + _KEPT, "hook", repeatable=True)
    if isinstance(call_record, StartedCall):
        deps.journal.finish_call(thread, key + _KEPT, asdict(result))


def _format_notes(answers: Sequence[tuple[ConfiguredHook, HookAnswer]]) -> list[str]:
    notes = list[str]()
    for hook, answer in answers:
        if answer.verdict == "deny":
            notes.append(OBJECTED.format(command=hook.command, reason=answer.reason))
        if answer.note:
            notes.append(HOOK_NOTE.format(command=hook.command, note=answer.note))
    return notes


def _build_fields(
    call: PendingCall, tool: BaseTool, deps: Dependencies, task: ToolTask
) -> dict[str, object]:
    named = list_named_files(call, tool, deps.workspace)
    hooked = HookedCall(call["id"], call["name"], call["args"], named)
    return {"role": task["role"], **build_call_fields(hooked, deps.workspace.root)}


def _hash_arguments(call: PendingCall) -> str:
    """Return a digest of the arguments: what the user has changed is looked at again."""
    exact = json.dumps(call["args"], sort_keys=True, default=str)
    return hashlib.sha256(exact.encode(errors="surrogateescape")).hexdigest()[:12]
