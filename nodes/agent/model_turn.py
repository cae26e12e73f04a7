"""One model turn of a role: limits, request, usage."""

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...models.catalog import compute_cost
from ...models.errors import ModelCallError
from ...models.invoke import is_cut
from ...models.replay import MADE_BY
from ..messages.context_message import settle_context_message
from ..repetition.loop_detection import TREE
from ..repetition.loop_response import respond_to_loop
from ..roles import RoleName
from ..state import State, Usage, select_changes
from .agent import load_agent
from .context import Context
from .dependencies import Dependencies
from .emit import emit_event
from .limits import NOTHING_USED, enforce_limits
from .message_history import build_role_message, find_final_text, select_view
from .model_request import request_answer
from .modes import build_note
from .nested_instructions import build_nested_notes, build_notices
from .new_request import receive_steering
from .remaining_limits import build_remaining_note
from .request_options import build_request_options, settle_first_thinking
from .snapshot_recorder import find_last_entry
from .stale_files import report_stale_files

REQUEST_FIELDS = ("input", "output", "cached", "cost", "seconds")
CUT = "Your answer was cut at its token limit and does not count. Give it again, whole and shorter."


@dataclass(frozen=True)
class ModelTurn:
    """State changes of a turn, and the role's final text when it has finished."""

    update: dict[str, Any]
    final_text: str | None
    is_stopped: bool = False
    """Whether the role may not go on, since it repeats itself: the job has failed."""
    is_steered: bool = False
    """The user's messages were added; the role has its turn after that."""


async def run_model_turn(
    state: State, runtime: Runtime[Context], role: RoleName, handoff: str = ""
) -> ModelTurn:
    """Run one model turn unless the role has finished; `handoff` is its brief if it has none yet.

    Raises the provider's error when all retries have failed; the thread can be resumed then.
    """
    words = find_final_text(state, role)
    if words is not None:
        return ModelTurn({}, words)
    # a task and an edit decide at their first request, a conversation when the message arrives
    thinking = state.get("thinking") or await settle_first_thinking(state, runtime.context)
    decided: State = {**state, "thinking": thinking}
    agent = await load_agent(role, decided, runtime.context, state.get("fallback", ""))
    deps = agent.deps
    if steered := await receive_steering(state, runtime, role, deps):
        return ModelTurn({"messages": steered}, None, is_steered=True)
    decided["context_message"] = await settle_context_message(state, deps)
    allowed = enforce_limits(state, runtime, deps)
    if state.get("role") != role:
        emit_event(runtime, "role", role=role)
    loop = respond_to_loop(state, runtime, role)
    if loop.is_stopped:
        return ModelTurn({"messages": [*loop.notes], "role": role}, None, is_stopped=True)
    history = loop.select_messages(select_view(state, role))
    notes = [*await _build_notes(state, runtime, role, deps, history), *loop.notes]
    remaining = build_remaining_note(state, runtime.context, deps, allowed, role)
    added = [*(notes if history else [build_role_message(role, handoff)]), *remaining]
    step = state.get("steps", 0) + 1
    options = build_request_options(decided, role)
    answered = await request_answer(agent, decided, role, [*history, *added], options, runtime)
    deps = answered.agent.deps
    answer = _label_answer(answered.message, role, step, state, deps)
    used = _emit_answer(runtime, answer, role, state, answered.seconds, deps)
    finished = not (answer.tool_calls or answer.invalid_tool_calls)
    again = [_retry_cut_answer(history, role, deps)] if finished and is_cut(answer) else []
    update = {
        "messages": [*added, answer, *again],
        "role": role,
        "steps": step,
        "usage": used,
        "thinking": thinking,
        **({} if step > 1 else {"context_message": decided["context_message"]}),
        **({"fallback": answered.fallback} if answered.fallback else {}),
        **allowed,
        # the user may have restored files since the last call
        "file_entry": await find_last_entry(deps, runtime),
    }
    final_text = str(answer.text) if finished and not again else None
    return ModelTurn(select_changes(state, update), final_text)


async def _build_notes(
    state: State,
    runtime: Runtime[Context],
    role: RoleName,
    deps: Dependencies,
    history: list[AnyMessage],
) -> list[HumanMessage]:
    """Build the notes about stale files and about instructions of folders that were shown."""
    moved = await report_stale_files(state, runtime, deps, role)
    nested = await asyncio.to_thread(build_nested_notes, history, deps, role)
    for notice in build_notices(nested):
        emit_event(runtime, "notice", text=notice)
    return [*moved, *nested]


def _retry_cut_answer(
    history: list[AnyMessage], role: RoleName, deps: Dependencies
) -> HumanMessage:
    """Repeat the request for a truncated answer: half a verdict must not pass for a whole one."""
    if history and history[-1].text == CUT:
        raise ModelCallError(
            text("`{name}` was cut at its token limit twice", name=deps.model.name),
            hint="raise `max_tokens` of this model in the configuration",
        )
    return build_note(role, CUT)


def _label_answer(
    answer: AIMessage, role: RoleName, step: int, state: State, deps: Dependencies
) -> AIMessage:
    """Record role, step, model and files of the answer; give each call a unique ID for the journal.

    Providers send empty and repeated IDs, and a rewound thread must not match its old ones.
    """
    answer.id = f"answer-{uuid4().hex}"
    answer.additional_kwargs |= {"role": role, "step": step, MADE_BY: deps.model.name}
    if tree := state.get("tree"):
        answer.additional_kwargs[TREE] = tree
    for call in (*answer.tool_calls, *answer.invalid_tool_calls):
        call["id"] = f"call_{uuid4().hex[:16]}"
    return answer


def _count_usage(answer: AIMessage, seconds: float, deps: Dependencies) -> Usage:
    """Return the usage of one request; empty if the provider reports none."""
    usage = answer.usage_metadata
    if usage is None:
        return {**NOTHING_USED, "requests": 1, "seconds": seconds}
    return Usage(
        requests=1,
        input=usage["input_tokens"],
        output=usage["output_tokens"],
        cached=usage.get("input_token_details", {}).get("cache_read", 0),
        cost=compute_cost(deps.model.price, usage),
        seconds=seconds,
    )


def _add_usage(before: Usage, taken: Usage) -> Usage:
    known = before["cost"] is not None and taken["cost"] is not None
    return Usage(
        requests=before["requests"] + taken["requests"],
        input=before["input"] + taken["input"],
        output=before["output"] + taken["output"],
        cached=before["cached"] + taken["cached"],
        cost=(before["cost"] or 0.0) + (taken["cost"] or 0.0) if known else None,
        seconds=round(before.get("seconds", 0.0) + taken.get("seconds", 0.0), 3),
    )


def _emit_answer(
    runtime: Runtime[Context],
    answer: AIMessage,
    role: RoleName,
    state: State,
    seconds: float,
    deps: Dependencies,
) -> Usage:
    """Emit what the answer used and which calls it has; return the usage of the thread."""
    taken = _count_usage(answer, seconds, deps)
    used = _add_usage(state.get("usage", NOTHING_USED), taken)
    window = answer.usage_metadata["input_tokens"] if answer.usage_metadata else 0
    emit_event(
        runtime,
        "token_usage",
        **used,
        window=window,
        context_length=deps.model.context_length,
        request={name: taken.get(name) for name in REQUEST_FIELDS},
    )
    for call in answer.tool_calls:
        emit_event(
            runtime, "tool_call", id=call["id"], tool=call["name"], args=call["args"], role=role
        )
    for call in answer.invalid_tool_calls:
        emit_event(
            runtime, "tool_call", id=call["id"], tool=call["name"] or "?", args={}, role=role
        )
    return used
