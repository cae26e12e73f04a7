"""Questions about calls, bound to what these start: a swapped script is asked again."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...config.errors import MaxAgentError
from ...config.security.provenance import find_provenance_changes
from ...config.text import join_texts, text
from ...tools.consent.command_origins import list_words
from ...tools.consent.differences import render_differences
from ...tools.consent.kept_texts import keep_texts
from ...tools.consent.origin import Origin
from ...tools.consent.rule_record import save_project_rule
from ...tools.definition import get_effect
from ..run.agent import Agent
from ..run.dependencies import Dependencies
from ..state import State
from ..tool_task import PendingCall
from .call_origins import bind_call, list_origins, read_provenances
from .evaluate import AskedOrigins, CallEvaluation, read_asked_origins

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
