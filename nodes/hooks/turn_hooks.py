"""Hooks at a turn's end, which may let the model go on, and at the start of a thread."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ...config.settings.hook_entries import HookEvent
from ..events.progress import Notice
from ..roles import RoleName
from ..run.context import Context
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.message_history import find_last_answer, iter_newest_first
from ..run.modes import build_note
from ..state import State
from .notices import build_limit_notice
from .selection import select_hooks

# The mark of a hook's message in `additional_kwargs`
FROM_HOOK = "hook"
MAX_CONTINUATIONS = 3
GO_ON = "Do not stop yet. The hook `{command}` says:\n{reason}"
AT_START = "The hook `{command}` says at the start of this conversation:\n{note}"


async def continue_turn(
    state: State,
    runtime: Runtime[Context],
    role: RoleName,
    update: Mapping[str, Any],
    final_text: str,
) -> Mapping[str, Any] | None:
    """Return the state changes with which the role has its turn again; None: it has finished.

    `update` are the state changes of the turn, `final_text` is its answer, which is committed
    before its hooks run, so that a kill does not lose it.
    """
    deps = await runtime.context.open_dependencies(state)
    hooks = select_hooks(deps, "on_stop")
    if not hooks:
        return None
    if update:
        return update
    count = _count_continuations(state, role)
    if count >= MAX_CONTINUATIONS:
        emit(runtime, Notice(build_limit_notice(count)))
        return None
    from ...tools.hooks.payload import build_stop_fields
    from .journaled_runs import run_hooks

    key = find_last_answer(state, role).id or "answer"
    fields = build_stop_fields(final_text, again=count > 0)
    for hook, answer in await run_hooks(hooks, key, fields, deps, runtime):
        if answer.verdict == "deny":
            words = GO_ON.format(command=hook.command, reason=answer.reason)
            return {"messages": [_build_hook_note(role, words, "on_stop")]}
    return None


async def build_start_notes(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies
) -> list[HumanMessage]:
    """Return what the hooks at the start of a thread tell the model, once."""
    if (
        state.get("steps")
        or role == "agent"
        or not (hooks := select_hooks(deps, "on_session_start"))
    ):
        return []
    marks = [message.additional_kwargs.get(FROM_HOOK) for message in state.get("messages", [])]
    if "on_session_start" in marks:  # the first request was too long, and is sent again
        return []
    from ...tools.hooks.payload import build_start_fields
    from .journaled_runs import run_hooks

    notes = list[HumanMessage]()
    for hook in hooks:
        answers = await run_hooks([hook], "session-start", build_start_fields(), deps, runtime)
        notes += [
            _build_hook_note(
                role, AT_START.format(command=hook.command, note=answer.note), "on_session_start"
            )
            for _, answer in answers
            if answer.note
        ]
    return notes


def _count_continuations(state: State, role: RoleName) -> int:
    """Return how often hooks have let the model go on since the last message of the user."""
    count = 0
    for message in iter_newest_first(state, role):
        marks = message.additional_kwargs
        count += marks.get(FROM_HOOK) == "on_stop"
        if isinstance(message, HumanMessage) and not marks.get("synthetic"):
            break
    return count


def _build_hook_note(role: RoleName, words: str, event: HookEvent) -> HumanMessage:
    note = build_note(role, words)
    note.additional_kwargs[FROM_HOOK] = event
    return note
