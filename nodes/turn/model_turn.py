"""One model turn of a role: limits, request, usage."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...models.errors import ContextOverflowError, ModelCallError
from ...models.invoke import is_cut, is_paused
from ...models.replay import MADE_BY
from ..background.command_record import has_news
from ..conversation.cut import CompactionRequest
from ..conversation.view import find_reset_reason
from ..events.context import CacheReset
from ..events.model import RoleStarted
from ..events.progress import Notice
from ..events.tool import ToolCall
from ..messages.context_message import settle_context_message
from ..messages.server_offer import settle_offer
from ..repetition.loop_response import respond_to_loop
from ..roles import RoleName
from ..run.agent import Agent, load_agent
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit, emit_cards
from ..run.limits import NOTHING_USED, add_usage, count_usage, emit_usage, enforce_limits
from ..run.message_history import TREE, build_role_message, find_final_text, select_view
from ..run.modes import build_note
from ..run.request_options import build_request_options, settle_first_thinking
from ..state import State, select_changes
from .model_request import ModelAnswer, request_answer
from .new_request import receive_steering
from .request_notes import (
    build_nested_notes,
    build_notices,
    build_remaining_note,
    report_stale_files,
)
from .size_check import answer_overflow, ask_service_window, find_oversize, fit_answer, learn_answer

CALL_AS_TEXT = (
    "Your call arrived as text and did not run: it is not whole, or its tool does not exist. Make "
    "it again as a call of a tool, or answer without it."
)
GO_ON = "Go on with your answer where it was paused."
CUT = "Your answer was cut at its token limit and does not count. Give it again, whole and shorter."

# The roles that carry out a request
PLANNING_ROLES: frozenset[RoleName] = frozenset({"build", "plan", "coder", "editor"})


@dataclass(frozen=True)
class ModelTurn:
    """State changes of a turn, and the role's final text when it has finished."""

    update: dict[str, Any]
    final_text: str | None
    is_stopped: bool = False
    """Whether the role may not go on, since it repeats itself: the job has failed."""
    is_steered: bool = False
    """Messages were added; the role has its turn after that."""
    goto: Literal["approve", "compact"] = "approve"
    """The next node, unless the role has finished."""


@dataclass(frozen=True)
class _Start:
    """What is decided before a request."""

    agent: Agent
    state: State
    role: RoleName
    begun: dict[str, Any]
    """State changes that hold whether or not the model answers."""
    history: list[AnyMessage]
    added: list[HumanMessage]
    """Messages that the request adds to the conversation."""
    is_last: bool = False
    """Whether the model may call no tool any more."""


async def run_model_turn(
    state: State, runtime: Runtime[Context], role: RoleName, handoff: str = "", ending: str = ""
) -> ModelTurn:
    """Run one model turn unless the role has finished; `handoff` is its brief if it has none yet.

    `ending` tells it that this is its last answer, in which it can call no tool. Raises the
    provider's error when all retries have failed; the thread can be resumed then.
    """
    words = find_final_text(state, role)
    if words is not None:
        return ModelTurn({}, words)
    # a task and an edit decide at their first request, a conversation when the message arrives
    thinking = state.get("thinking") or await settle_first_thinking(state, runtime.context)
    decided: State = {**state, "thinking": thinking}
    if offer := await settle_offer(state, (await runtime.context.open_dependencies(state)).mcp):
        decided["mcp"] = offer
    agent = await load_agent(role, decided, runtime.context, state.get("fallback", ""))
    deps = agent.deps
    if steered := await receive_steering(state, runtime, role, deps):
        return ModelTurn({"messages": steered}, None, is_steered=True)
    decided["context_message"] = await _settle_context(decided, runtime, deps)
    await ask_service_window(agent)
    allowed = enforce_limits(state, runtime, deps)
    if state.get("role") != role:
        emit(runtime, RoleStarted(role))
    history = select_view(state, role)
    start_update = {"role": role, "thinking": thinking, **allowed}
    if offer:
        start_update["mcp"] = offer
    if not state.get("steps"):
        start_update["context_message"] = decided["context_message"]
    start_update = select_changes(state, start_update)
    brief = [] if history else [build_role_message(role, handoff)]
    if oversize := find_oversize(decided, runtime, agent, role, [*history, *brief]):
        return _ask_to_compact(oversize, start_update, brief)
    if reset := find_reset_reason(history, deps.model.name, role):
        emit(runtime, CacheReset(reset))
    loop = respond_to_loop(state, runtime, role)
    if loop.is_stopped:
        return ModelTurn({"messages": [*loop.notes], "role": role}, None, is_stopped=True)
    history = loop.select_messages(history)
    notes = [*await _build_notes(state, runtime, role, agent, history), *loop.notes]
    left = [build_note(role, ending)] if ending else []
    left = left or build_remaining_note(state, runtime.context, deps, allowed, role)
    started = await _build_start_notes(state, runtime, role, deps)
    added = [*(brief or notes), *started, *left]
    start = _Start(agent, decided, role, start_update, history, added, is_last=bool(ending))
    if deps.settings.model.enable_tool_planner and (planned := await _plan_steps(start, runtime)):
        return planned
    return await _answer_request(start, runtime)


async def _settle_context(state: State, runtime: Runtime[Context], deps: Dependencies) -> str:
    """Return the thread's context message, and tell which cards a new one has."""
    context = await settle_context_message(state, deps, runtime.store)
    emit_cards(runtime, context.cards)
    for notice in context.notices:
        emit(runtime, Notice(notice))
    return context.text


async def _plan_steps(start: _Start, runtime: Runtime[Context]) -> ModelTurn | None:
    """Let the model name its steps; the role has its turn after that. None: it has named them."""

    messages = [*start.history, *start.added]
    if not needs_plan(start.state, start.agent, start.role, messages):
        return None
    from .step_list import plan_steps

    update = await plan_steps(start.state, runtime, start.agent, start.role, messages)
    added = [*start.added, *update["messages"]]
    update = {**start.begun, **update, "messages": added}
    return ModelTurn(update, None, is_steered=True)


async def _answer_request(start: _Start, runtime: Runtime[Context]) -> ModelTurn:
    """Ask the model; a request that it refuses as too long is compacted first."""
    state, role, history = start.state, start.role, start.history
    request = [*history, *start.added]
    options = fit_answer(build_request_options(state, role), state, start.agent, role, request)
    if start.is_last:
        options = replace(options, tool_choice="none")
    try:
        answered = await request_answer(start.agent, state, role, request, options, runtime)
    except ContextOverflowError as error:
        refused = await answer_overflow(state, runtime, start.agent, role, request, error)
        return _ask_to_compact(refused, start.begun, start.added)
    deps, step = answered.agent.deps, state.get("steps", 0) + 1
    await learn_answer(answered.agent, answered.message)
    if notice := _find_cut_prompt(answered, request, runtime):
        emit(runtime, Notice(notice))
    answer = _label_answer(answered.message, role, step, state, deps)
    request_usage = count_usage(answer, answered.seconds, deps)
    used = add_usage(state.get("usage", NOTHING_USED), request_usage)
    emit_usage(runtime, answer, used, request_usage, deps)
    _emit_calls(runtime, answer, role)
    finished = not (answer.tool_calls or answer.invalid_tool_calls)
    again = _build_continuation(answer, history, role, deps) if finished else []
    update = {
        "messages": [*start.added, *answered.refusals, answer, *again],
        "steps": step,
        "usage": used,
        **({"fallback": answered.fallback} if answered.fallback else {}),
        **({"compaction": None} if state.get("compaction") else {}),
        # the user may have restored files since the last call
        "file_entry": await deps.find_last_entry(get_thread_id(runtime)),
    }
    final_text = str(answer.text) if finished and not again else None
    return ModelTurn({**start.begun, **select_changes(state, update)}, final_text)


def _find_cut_prompt(
    answered: ModelAnswer, request: Sequence[AnyMessage], runtime: Runtime[Context]
) -> str:
    from ..recovery.refusals import find_cut_prompt

    agent, fixed = answered.agent, answered.agent.system_tokens + answered.agent.tool_tokens
    return find_cut_prompt(
        get_thread_id(runtime),
        agent.deps.model,
        fixed,
        request,
        answered.message,
        agent.tool_tokens,
    )


async def _build_notes(
    state: State,
    runtime: Runtime[Context],
    role: RoleName,
    agent: Agent,
    history: list[AnyMessage],
) -> list[HumanMessage]:
    """Build the notes about stale files, instructions of folders, and what was used before.

    Skills, background commands and servers are imported only in threads that use them.
    """
    deps = agent.deps
    moved, nested = await asyncio.to_thread(
        lambda: (
            report_stale_files(state, runtime, deps, role),
            build_nested_notes(history, deps, role),
        )
    )
    for notice in build_notices(nested):
        emit(runtime, Notice(notice))
    notes = [*moved, *nested]
    if state.get("skills"):
        from ..skills.activation import build_change_notes

        notes += build_change_notes(state, history, deps.skills, role)
    if state.get("todos"):
        from .todo_notes import build_stale_note

        notes += build_stale_note(state, role)
    if runtime.context.pool.background.find(get_thread_id(runtime)):
        from ..background.changing_commands import end_changing_commands

        await end_changing_commands(runtime, deps.policy)
    if await has_news(deps, runtime):
        from ..background.end_notes import build_end_notes

        notes += await build_end_notes(state, runtime, role, deps)
    if agent.offer and deps.mcp:
        from ..mcp.server_notes import build_server_notes

        notes += await build_server_notes(agent.offer, deps.mcp, role, history)
    return notes


async def _build_start_notes(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies
) -> list[HumanMessage]:
    """Build the notes of hooks at the start of a thread."""
    if not deps.hooks:
        return []
    from ..hooks.turn_hooks import build_start_notes

    return await build_start_notes(state, runtime, role, deps)


def _ask_to_compact(
    request: CompactionRequest, start_update: dict[str, Any], added: list[HumanMessage]
) -> ModelTurn:
    """Leave the request to the role's next turn, after `compact`; what was added to it stays."""
    messages = {"messages": added} if added else {}
    return ModelTurn({**start_update, **messages, "compaction": request}, None, goto="compact")


def _build_continuation(
    answer: AIMessage, history: list[AnyMessage], role: RoleName, deps: Dependencies
) -> list[HumanMessage]:
    """Return what asks the model for the rest of an answer that is not whole."""
    if is_cut(answer):
        return [_retry_cut_answer(history, role, deps)]
    if is_paused(answer):
        return [build_note(role, GO_ON)]
    is_told = bool(history) and history[-1].text == CALL_AS_TEXT
    text = str(answer.text)
    if is_told or "<" not in text and "[" not in text:  # no markup of a call begins otherwise
        return []
    from ...models.xml_calls.leaked_calls import has_broken_call

    return [build_note(role, CALL_AS_TEXT)] if has_broken_call(text) else []


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


def _emit_calls(runtime: Runtime[Context], answer: AIMessage, role: RoleName) -> None:
    for call in answer.tool_calls:
        emit(
            runtime, ToolCall(id=call["id"] or "", tool=call["name"], args=call["args"], role=role)
        )
    for call in answer.invalid_tool_calls:
        emit(runtime, ToolCall(id=call["id"] or "", tool=call["name"] or "?", args={}, role=role))


def needs_plan(state: State, agent: Agent, role: RoleName, messages: Sequence[AnyMessage]) -> bool:
    """Return whether the model is to name its steps before it answers these messages."""
    if not agent.deps.settings.model.enable_tool_planner or role not in PLANNING_ROLES:
        return False
    is_new = state.get("planned", 0) != state.get("turn", 1)
    begins = bool(messages) and not isinstance(messages[-1], ToolMessage)
    return is_new and begins and "todowrite" in agent.tools
