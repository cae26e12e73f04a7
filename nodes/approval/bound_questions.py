"""Questions about calls: of a hook, before them; bound to what they start, so that a swapped script
is asked again, also at the call's turn; and after them, whether what the sandbox blocked runs once
more outside of it.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

from ...config.errors import MaxAgentError
from ...config.security.provenance import find_provenance_changes
from ...config.text import join_texts, text
from ...memory.journal import FinishedCall, Journal
from ...tools.consent.command_origins import list_words
from ...tools.consent.differences import render_differences
from ...tools.consent.kept_texts import keep_texts
from ...tools.consent.origin import Origin
from ...tools.consent.rule_record import save_project_rule
from ...tools.definition import get_effect
from ...tools.permissions.restrictions import OUTSIDE
from ...tools.result import CallResult
from ...tools.runtime.invoke import render_for_model
from ..hooks.notices import format_question
from ..roles import RoleName
from ..run.agent import Agent
from ..run.dependencies import Dependencies
from ..run.message_history import build_tool_message
from ..state import State
from ..tool_task import PendingCall
from .call_origins import bind_call, list_origin_changes, list_origins, read_provenances
from .evaluate import (
    BLOCKED_INSIDE,
    AskedOrigins,
    CallEvaluation,
    deny_missing_tool,
    evaluate_queued,
    read_asked_origins,
    with_reason,
)

CHANGED_SINCE = "{reason}; since you were asked, {what}"
NOT_KEPT = "the rule `{rule}` was not kept, so you will be asked again: {reason}"


def bind_questions(
    evaluations: Sequence[CallEvaluation], state: State, agent: Agent
) -> list[CallEvaluation]:
    """Bind each asked call to what it starts now; a difference from the question before is shown.

    Keeps what is written there, for a later difference.
    """
    asked_before = read_asked_origins(state.get("asked", []))
    bound, edited = list[CallEvaluation](), list[str]()
    for evaluation in evaluations:
        tool = agent.tools.get(evaluation.call["name"])
        if evaluation.verdict != "ask" or tool is None:
            bound.append(evaluation)
            continue
        bound.append(_bind_question(evaluation, agent, edited, asked_before))
        if get_effect(tool) == "edit":
            edited += evaluation.call.get("files", ())
    return bound


def _bind_question(
    evaluation: CallEvaluation,
    agent: Agent,
    edited: Sequence[str],
    asked_before: Mapping[str, AskedOrigins],
) -> CallEvaluation:
    call, deps = evaluation.call, agent.deps
    origins = list_origins(call, agent.tools[call["name"]], deps)
    keep_texts(deps.home, origins, deps.workspace)
    is_edit = get_effect(agent.tools[call["name"]]) == "edit"
    named = [] if is_edit else _list_started(call, origins, edited)
    bound = replace(evaluation, call=bind_call(call, origins, named))
    if named:  # what a rule would cover is not written yet
        bound = replace(bound, suggested_rule="")
    current = read_provenances(bound.call)
    asked = asked_before.get(call["id"], AskedOrigins(current))
    before = asked.earlier if asked.shown == current else asked.shown
    if before is None:
        return bound
    changes = find_provenance_changes(before, [item for item in current if item not in before])
    if not changes:
        return bound
    what = join_texts("; ", changes)
    return replace(
        bound,
        reason=text(CHANGED_SINCE, reason=bound.reason, what=what),
        diff=bound.diff or render_differences(deps.home, before, origins),
        earlier_origins=before,
    )


def _list_started(call: PendingCall, origins: Sequence[Origin], edited: Sequence[str]) -> list[str]:
    """Return the edited files that a command starts, also those that do not exist yet."""
    command, folder = str(call["args"].get("command") or ""), str(call["args"].get("cwd") or ".")
    named = {os.path.normpath(os.path.join(folder, word)) for word in list_words(command)}
    named |= {origin.provenance.source for origin in origins}
    return [file for file in dict.fromkeys(edited) if file in named]


def save_project_rules(evaluations: Sequence[CallEvaluation], deps: Dependencies) -> list[str]:
    """Keep the rules that the user has just given for the project, bound to what was shown.

    Return what to tell the user of those that cannot be kept: they are asked again.
    """
    notices = list[str]()
    for evaluation in evaluations:
        if not evaluation.for_project:
            continue
        rule, provenances = evaluation.suggested_rule, read_provenances(evaluation.call)
        try:
            save_project_rule(deps.home, deps.trust.folder, rule, provenances)
        except MaxAgentError as error:
            reason = join_texts("; ", filter(None, [error.message, error.hint]))
            notices.append(text(NOT_KEPT, rule=rule, reason=reason))
    return notices


def ask_hooked(
    call: PendingCall, tools: Mapping[str, BaseTool], deps: Dependencies
) -> CallEvaluation:
    """Return the question; a denial if the call may not even be asked any more."""
    if (tool := tools.get(call["name"])) is None:
        return deny_missing_tool(call)
    evaluation = evaluate_queued(call, tool, deps)
    if evaluation.verdict == "deny":
        return evaluation
    asks = format_question(call.get("hook", ""))
    reasons = [evaluation.reason] if evaluation.verdict == "ask" else []
    # no rule would keep the hook from asking
    return replace(
        evaluation, verdict="ask", reason=join_texts("; ", [*reasons, asks]), suggested_rule=""
    )


def find_waiting_call(state: State) -> PendingCall | None:
    """Return the call to ask about once more, for the sandbox or a hook, if there is one."""
    queue = state.get("queue") or [[]]
    first = queue[0][0] if queue[0] else None
    return first if first and {"blocked", "hook", "changed"} & first.keys() else None


def ask_again(
    call: PendingCall, tools: Mapping[str, BaseTool], deps: Dependencies
) -> CallEvaluation:
    """Return the evaluation of a call that was sent back, by what sent it back last."""
    if "changed" in call:
        return _ask_changed(call, tools, deps)
    return ask_hooked(call, tools, deps) if "hook" in call else ask_outside(call, tools, deps)


def _ask_changed(
    call: PendingCall, tools: Mapping[str, BaseTool], deps: Dependencies
) -> CallEvaluation:
    """Evaluate a call by what it starts now; a question shows how that has changed."""
    if (tool := tools.get(call["name"])) is None:
        return deny_missing_tool(call)
    fresh = PendingCall(**call)
    fresh.pop("changed", None)
    fresh.pop("origins", None)
    evaluation = evaluate_queued(fresh, tool, deps)
    changes = list_origin_changes(call, tool, deps)
    if evaluation.verdict != "ask" or not changes:
        return evaluation
    differences = render_differences(
        deps.home, read_provenances(call), list_origins(call, tool, deps)
    )
    reason = text(CHANGED_SINCE, reason=evaluation.reason, what=join_texts("; ", changes))
    return replace(evaluation, reason=reason, diff=evaluation.diff or differences)


def ask_outside(
    call: PendingCall, tools: Mapping[str, BaseTool], deps: Dependencies
) -> CallEvaluation:
    """Return the question; a denial if the call may not even be asked any more."""
    if (tool := tools.get(call["name"])) is None:
        return deny_missing_tool(call)
    evaluation = evaluate_queued(call, tool, deps)
    reason = BLOCKED_INSIDE.format(blocked=call.get("blocked", ""), reason=OUTSIDE)
    return with_reason(evaluation, reason)


def answer_first_run(
    evaluation: CallEvaluation, role: RoleName, journal: Journal, thread: str
) -> ToolMessage:
    """Return the message to the model if the call does not run again: first result and reason."""
    call = evaluation.call
    recorded_call = journal.find_call(thread, call["id"])
    result = (
        CallResult(**recorded_call.result)
        if isinstance(recorded_call, FinishedCall)
        else CallResult()
    )
    words = "\n\n".join(filter(None, (render_for_model(result), evaluation.reason)))
    return build_tool_message(call["id"], call["name"], role, words, ok=False)
