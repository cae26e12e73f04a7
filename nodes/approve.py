"""The node `approve`: evaluate every tool call of an answer. It changes no file of the project.

All calls that need approval are raised as one interrupt in the format of Studio, agent-chat-ui and
our own command line. The node runs again from its top when the user answers, perhaps under another
mode or configuration. So questions are checkpointed first and stay until they are answered: an
answer binds to exactly what was shown.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.builtin.session.plan_mode import LEADS_TO
from ..tools.builtin.session.subagent import SUBAGENT
from ..tools.consent.answer_rules import format_thread_rule
from ..tools.runtime.registry import NAMES, load_tool
from .approval.bound_questions import (
    answer_first_run,
    ask_again,
    bind_questions,
    find_waiting_call,
    save_project_rules,
)
from .approval.call_origins import read_provenances
from .approval.called_tools import name_server_calls, with_server_tools
from .approval.dispatch import DispatchTransition, Tools, dispatch, group_calls
from .approval.edit_previews import preview_edits
from .approval.evaluate import (
    CallEvaluation,
    apply_answer,
    compute_binding,
    evaluate_call,
    extract_ids,
)
from .events.progress import Notice
from .hooks.selection import list_hooked_tools
from .options import Options
from .roles import RoleName
from .run.agent import Agent, load_agent, with_rules
from .run.context import Context, get_thread_id
from .run.emit import emit, emit_result
from .run.interrupts import request_answer
from .run.message_history import build_tool_message, find_last_answer
from .run.modes import is_switch_proposal
from .state import State
from .subagents.calls import find_invalid_calls, split_calls
from .tool_task import PendingCall

ALONE = "Call `{name}` alone: whether the other calls may run depends on the human's answer to it."
BROKEN_JSON = (
    "The arguments are not valid JSON ({error}). Send the call again, complete. You sent: {sent}"
)


async def approve(state: State, runtime: Runtime[Context]) -> DispatchTransition:
    """Evaluate the calls of the last answer, or start the next group of allowed calls."""
    role = state.get("role", "coder")
    if options := _read_chosen_mode(state, runtime):
        return Command(goto="approve", update={"options": options})
    agent = await _load_agent_with_tools(state, runtime)
    tools, workspace = agent.tools, agent.deps.workspace
    if waiting := find_waiting_call(state):
        return await _approve_waiting(waiting, state, agent, runtime)
    if queue := state.get("queue"):
        called = _load_called_tools(queue, tools)
        return await asyncio.to_thread(dispatch, state, queue, called, workspace)
    answer = find_last_answer(state, role)
    if is_switch_proposal(answer, tools):
        return Command(goto="switch")
    named = await name_server_calls(answer.tool_calls, agent)
    thread = get_thread_id(runtime)
    unsent = await find_invalid_calls(named.calls, named.agent, thread)
    refused = {**named.refused, **unsent}
    agent, evaluations = await asyncio.to_thread(
        _evaluate_calls, named.calls, named.agent, state, refused
    )
    tools = agent.tools
    evaluations = await _prepare_questions(evaluations, state, agent)
    asked = _list_bindings(evaluations)
    if asked and asked != state.get("asked"):
        return Command(goto="approve", update={"asked": asked})
    evaluations = await _ask_and_keep_rules(evaluations, agent, runtime)
    messages = [*_build_answers(evaluations, role), *_answer_broken_calls(answer, role)]
    _emit_results(runtime, messages, evaluations)
    allowed = [evaluation.call for evaluation in evaluations if evaluation.verdict == "allow"]
    alone = list_hooked_tools(agent.deps, {call["name"] for call in allowed})
    if SUBAGENT not in alone:  # else `run_tool` does this, after its hooks
        allowed = await split_calls(allowed, agent, thread)
    groups = group_calls(
        allowed,
        tools,
        parallel=agent.deps.settings.model.parallel_tool_calls,
        alone=alone,
    )
    update = {
        **({"messages": messages} if messages else {}),
        **_collect_thread_rules(evaluations, state),
        **_choose_mode(evaluations, state),
        "asked": [],
    }
    return await asyncio.to_thread(dispatch, state, groups, tools, workspace, update)


def _load_called_tools(queue: Iterable[Iterable[PendingCall]], tools: Tools) -> Tools:
    """Return the tools, and those that were removed since: `run_tool` answers their calls."""
    called = {call["name"] for group in queue for call in group}
    return {name: load_tool(name) for name in called.intersection(NAMES)} | dict(tools)


def _list_bindings(evaluations: Iterable[CallEvaluation]) -> list[str]:
    """List what the answer binds to, of each call that is asked."""
    asked = [evaluation for evaluation in evaluations if evaluation.verdict == "ask"]
    return [compute_binding(evaluation) for evaluation in asked]


async def _load_agent_with_tools(state: State, runtime: Runtime[Context]) -> Agent:
    """Return the agent with the tools of queued calls."""
    agent = await load_agent(state.get("role", "coder"), state, runtime.context)
    queued = [call for group in state.get("queue") or [] for call in group]
    return await with_server_tools(agent, queued)


def _evaluate_calls(
    calls: Iterable[ToolCall], agent: Agent, state: State, refused: Mapping[str, str]
) -> tuple[Agent, list[CallEvaluation]]:
    """Evaluate under the user's rules for the thread; return the agent with them, too."""
    agent = with_rules(agent, state.get("allowed", ()))
    evaluations = [evaluate_call(call, agent, refused.get(call["id"] or "", "")) for call in calls]
    evaluations = [_deny_beside_others(evaluation) for evaluation in evaluations]
    return agent, _keep_asked(evaluations, extract_ids(state.get("asked", [])))


def _read_chosen_mode(state: State, runtime: Runtime[Context]) -> Options | None:
    """Return the options with the approval mode that the user has chosen during this turn."""
    if state.get("queue") or state.get("asked"):
        return None  # these calls are decided, or the user decides now
    options, context = state.get("options", {}), runtime.context
    mode = context.steering.take_mode(get_thread_id(runtime), context.sub_id)
    return {**options, "mode": mode} if mode and mode != options.get("mode") else None


async def _prepare_questions(
    evaluations: list[CallEvaluation], state: State, agent: Agent
) -> list[CallEvaluation]:
    """Add what the questions show, and bind them to what the calls start."""
    previewed = await preview_edits(evaluations, state, agent)
    if all(evaluation.verdict != "ask" for evaluation in previewed):
        return previewed
    return await asyncio.to_thread(bind_questions, previewed, state, agent)


def _collect_thread_rules(
    evaluations: Iterable[CallEvaluation], state: State
) -> dict[str, list[str]]:
    """Collect the thread's rules and those that the user has just added."""
    rules = [
        format_thread_rule(evaluation.suggested_rule, read_provenances(evaluation.call))
        for evaluation in evaluations
        if evaluation.for_thread
    ]
    allowed = list(dict.fromkeys([*state.get("allowed", ()), *rules]))
    return {"allowed": allowed} if rules else {}


def _choose_mode(evaluations: Iterable[CallEvaluation], state: State) -> dict[str, Options]:
    """Return the options with the mode that the user has chosen beside a yes, if any."""
    if not any(evaluation.mode for evaluation in evaluations):
        return {}
    chosen: Options = {**state.get("options", {}), "mode": "edits"}
    return {"options": chosen}


async def _approve_waiting(
    call: PendingCall, state: State, agent: Agent, runtime: Runtime[Context]
) -> DispatchTransition:
    """Ask about a call that has been sent back before or after it ran; then start the rest."""
    role, rest = state.get("role", "coder"), state.get("queue", [])[1:]
    agent = await asyncio.to_thread(with_rules, agent, state.get("allowed", ()))
    tools, workspace = agent.tools, agent.deps.workspace
    evaluation = await asyncio.to_thread(ask_again, call, tools, agent.deps)
    [evaluation] = await _prepare_questions([evaluation], state, agent)
    asked = _list_bindings([evaluation])
    if asked and asked != state.get("asked"):
        return Command(goto="approve", update={"asked": asked})
    [evaluation] = await _ask_and_keep_rules([evaluation], agent, runtime)
    if evaluation.verdict == "allow":
        groups = [[evaluation.call], *rest]
        return await asyncio.to_thread(dispatch, state, groups, tools, workspace, {"asked": []})
    thread = get_thread_id(runtime)
    answer = await asyncio.to_thread(answer_first_run, evaluation, role, agent.deps.journal, thread)
    _emit_results(runtime, [answer], [evaluation])
    update = {"messages": [answer], "asked": [], "queue": []}
    return await asyncio.to_thread(dispatch, state, rest, tools, workspace, update)


def _emit_results(
    runtime: Runtime[Context],
    messages: Iterable[ToolMessage],
    evaluations: Iterable[CallEvaluation],
) -> None:
    by_id = {evaluation.call["id"]: evaluation for evaluation in evaluations}
    for message in messages:
        evaluation = by_id.get(message.tool_call_id)
        args, refused = (evaluation.call["args"], evaluation.refused) if evaluation else ({}, None)
        answered = bool(message.additional_kwargs.get("answered"))
        emit_result(runtime, message, args, refused=refused, answered=answered)


async def _ask_and_keep_rules(
    evaluations: list[CallEvaluation], agent: Agent, runtime: Runtime[Context]
) -> list[CallEvaluation]:
    """Ask, and keep the rules that the answer gives for the project."""
    if all(evaluation.verdict != "ask" for evaluation in evaluations):
        return evaluations  # a thread hop costs as much as the rest of this node
    settled = await asyncio.to_thread(ask_human, evaluations, agent, runtime.context.sub_id)
    for notice in await asyncio.to_thread(save_project_rules, settled, agent.deps):
        emit(runtime, Notice(notice))
    return settled


def ask_human(
    evaluations: list[CallEvaluation], agent: Agent, sub_id: str = ""
) -> list[CallEvaluation]:
    """Raise one interrupt for all calls to approve; repeat it until the answer fits."""
    asked = [evaluation for evaluation in evaluations if evaluation.verdict == "ask"]
    if not asked:
        return evaluations
    settled = request_answer(
        _build_request(asked, sub_id), lambda answer: apply_answer(asked, answer, agent)
    )
    by_id = {evaluation.call["id"]: evaluation for evaluation in settled}
    return [by_id.get(evaluation.call["id"], evaluation) for evaluation in evaluations]


def _deny_beside_others(evaluation: CallEvaluation) -> CallEvaluation:
    name = evaluation.call["name"]
    if name not in LEADS_TO or evaluation.verdict == "deny":
        return evaluation
    return replace(evaluation, verdict="deny", reason=ALONE.format(name=name))


def _keep_asked(evaluations: list[CallEvaluation], asked: set[str]) -> list[CallEvaluation]:
    """Keep a question that the user has seen, even if the call would be allowed now."""
    return [
        replace(evaluation, verdict="ask")
        if evaluation.verdict == "allow" and evaluation.call["id"] in asked
        else evaluation
        for evaluation in evaluations
    ]


def _build_request(asked: list[CallEvaluation], sub_id: str) -> dict[str, Any]:
    return {
        **({"agent": sub_id} if sub_id else {}),
        "action_requests": [
            {
                "name": evaluation.call["name"],
                "args": evaluation.call["args"],
                "description": evaluation.reason,
                "tool_call_id": evaluation.call["id"],
                "sandbox": evaluation.call.get("sandbox", ""),
                **({"diff": evaluation.diff} if evaluation.diff else {}),
                **({"always": evaluation.suggested_rule} if evaluation.suggested_rule else {}),
            }
            for evaluation in asked
        ],
        "review_configs": [
            {"action_name": evaluation.call["name"], "allowed_decisions": list(evaluation.choices)}
            for evaluation in asked
        ],
    }


def _build_answers(evaluations: list[CallEvaluation], role: RoleName) -> list[ToolMessage]:
    return [
        build_tool_message(
            evaluation.call["id"],
            evaluation.call["name"],
            role,
            evaluation.reason,
            ok=evaluation.verdict == "answered",
            # an interactive tool has no result except the user's text: it did run
            answered=evaluation.verdict == "answered" and "approve" in evaluation.choices,
        )
        for evaluation in evaluations
        if evaluation.verdict in ("deny", "answered")
    ]


def _shorten_error(error: str) -> str:
    """Return what is wrong with the JSON, without the sentence that says that something is."""
    return error.rpartition("not valid JSON: ")[2] or "cut off"


def _answer_broken_calls(answer: AIMessage, role: RoleName) -> list[ToolMessage]:
    return [
        build_tool_message(
            call["id"] or "",
            call["name"] or "unknown",
            role,
            BROKEN_JSON.format(
                error=_shorten_error(call["error"] or ""), sent=(call["args"] or "")[:300]
            ),
            ok=False,
        )
        for call in answer.invalid_tool_calls
    ]
