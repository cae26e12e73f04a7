"""Runs of hooks on record: one that has answered is not run again, whatever is killed.

A hook that was cut short runs again: without its answer nothing can go on.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from langgraph.runtime import Runtime

from ...config.settings.hooks import ConfiguredHook
from ...memory.journal import FinishedCall
from ...tools.hooks.answer import HookAnswer
from ...tools.hooks.execution import run_hook
from ...tools.hooks.payload import build_payload
from ..events.progress import Notice
from ..events.tool import HookFinished, HookOutcome
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from .notices import build_failure_notice, build_ignored_notice

# The journal's name for a hook, where a call has its tool
JOURNAL_NAME = "hook"
_OUTCOMES: Mapping[str, HookOutcome] = {
    "pass": "passed",
    "deny": "refused",
    "ask": "asked",
    "failed": "failed",
}


async def run_hooks(
    hooks: Sequence[ConfiguredHook],
    key: str,
    fields: Mapping[str, Any],
    deps: Dependencies,
    runtime: Runtime[Context],
    *,
    only_known: bool = False,
) -> list[tuple[ConfiguredHook, HookAnswer]]:
    """Run the hooks one after the other until one denies, and return their answers.

    `key` names what they are about. `only_known`: return answers on record, and run none.
    """
    answers: list[tuple[ConfiguredHook, HookAnswer]] = []
    for hook in hooks:
        answer = await _run_once(hook, key, fields, deps, runtime, only_known)
        if answer is None:
            continue
        answers.append((hook, answer))
        if answer.verdict == "deny":
            break
    return answers


async def _run_once(
    hook: ConfiguredHook,
    key: str,
    fields: Mapping[str, Any],
    deps: Dependencies,
    runtime: Runtime[Context],
    only_known: bool,
) -> HookAnswer | None:
    thread, call_id = get_thread_id(runtime), f"{key}-{JOURNAL_NAME}-{_hash_hook(hook)}"
    recorded_call = await asyncio.to_thread(deps.journal.find_call, thread, call_id)
    if isinstance(recorded_call, FinishedCall):
        return HookAnswer(**recorded_call.result)
    if only_known:
        return None
    await asyncio.to_thread(deps.journal.begin_call, thread, call_id, JOURNAL_NAME, repeatable=True)
    payload = {**build_payload(hook.event, thread, deps.workspace.root), **fields}
    answer = await run_hook(hook, payload, deps.sandbox.for_thread(thread))
    await asyncio.to_thread(deps.journal.finish_call, thread, call_id, asdict(answer))
    _emit_outcome(hook, answer, str(fields.get("tool", "")), runtime)
    return answer


def _emit_outcome(
    hook: ConfiguredHook, answer: HookAnswer, tool: str, runtime: Runtime[Context]
) -> None:
    emit(
        runtime,
        HookFinished(
            event=hook.event,
            command=hook.command,
            outcome=_OUTCOMES[answer.verdict],
            tool=tool,
            reason=answer.reason,
        ),
    )
    if answer.verdict == "failed":
        emit(runtime, Notice(build_failure_notice(hook, answer.reason)))
    if answer.ignored:
        emit(runtime, Notice(build_ignored_notice(hook, answer.ignored)))


def _hash_hook(hook: ConfiguredHook) -> str:
    parts = json.dumps([hook.event, hook.command, hook.from_project])
    return hashlib.sha256(parts.encode(errors="surrogateescape")).hexdigest()[:16]
