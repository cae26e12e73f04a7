"""Diffs of edits that need approval; an edit that would be denied is not asked."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from ...config.security.redaction import find_marks
from ...config.text import text
from ...tools.definition import can_show_files, get_effect
from ...tools.result import CallResult
from ...tools.runtime.edit_preview import CHANGED, PreviewCall, preview_calls
from ...tools.textedits.unified_diff import shorten_diff
from ..run.agent import Agent
from ..run.message_history import find_last_seen
from ..state import State
from ..tool_task import list_named_files
from .dispatch import Tools
from .evaluate import MAX_DIFF_LENGTH, CallEvaluation, extract_ids

NO_DIFF = "{reason}; what it would change cannot be shown: {why}"
NO_CHANGE = "{reason}; it would change nothing"


async def preview_edits(
    evaluations: Sequence[CallEvaluation], state: State, agent: Agent
) -> list[CallEvaluation]:
    """Return the evaluations of an answer's calls; edits that need approval get their diffs.

    A question already shown to the user stays, even if the files have changed since.
    """
    tools = agent.tools
    tried = _select_calls(evaluations, tools)
    if not tried:
        return list(evaluations)
    calls = [await asyncio.to_thread(_build_call, evaluation, state, agent) for evaluation in tried]
    try:
        results = await preview_calls(calls, agent.deps.workspace)
    except OSError as error:
        results = [CallResult(error=str(error.strerror or error))] * len(tried)
        return _merge_results(
            evaluations, tried, results, stay={evaluation.call["id"] for evaluation in tried}
        )
    stay = {*extract_ids(state.get("asked", [])), *_list_after_program(evaluations, tools)}
    return _merge_results(evaluations, tried, results, stay=stay)


def _select_calls(evaluations: Sequence[CallEvaluation], tools: Tools) -> list[CallEvaluation]:
    """Return the edits up to the last that needs approval, and earlier reads, in order.

    Each edit builds on those before it. A model may read a file and edit it in one answer: when the
    edit runs, the file has been read.
    """
    asked = [
        at
        for at, evaluation in enumerate(evaluations)
        if evaluation.verdict == "ask" and _is_possible_edit(evaluation, tools)
    ]
    last = asked[-1] if asked else -1
    return [
        evaluation
        for evaluation in evaluations[: last + 1]
        if _is_possible_edit(evaluation, tools) or _is_file_read(evaluation, tools)
    ]


def _is_possible_edit(evaluation: CallEvaluation, tools: Tools) -> bool:
    """Return whether the call is an edit that may be made."""
    may_be = evaluation.verdict in ("ask", "allow")
    return may_be and get_effect(tools[evaluation.call["name"]]) == "edit"


def _is_file_read(evaluation: CallEvaluation, tools: Tools) -> bool:
    return evaluation.verdict == "allow" and can_show_files(tools[evaluation.call["name"]])


def _build_call(evaluation: CallEvaluation, state: State, agent: Agent) -> PreviewCall:
    tool = agent.tools[evaluation.call["name"]]
    named = list_named_files(evaluation.call, tool, agent.deps.workspace)
    return PreviewCall(tool, evaluation.call["args"], find_last_seen(state, named))


def _list_after_program(evaluations: Sequence[CallEvaluation], tools: Tools) -> set[str]:
    """Return the calls after a program: its effect on the files is not known yet."""
    effects = [
        get_effect(tools[r.call["name"]]) if r.verdict != "deny" else "" for r in evaluations
    ]
    first = effects.index("execute") if "execute" in effects else len(effects)
    return {evaluation.call["id"] for evaluation in evaluations[first:]}


def _merge_results(
    evaluations: Sequence[CallEvaluation],
    edits: Sequence[CallEvaluation],
    previews: Sequence[CallResult],
    stay: Collection[str],
) -> list[CallEvaluation]:
    results = {edit.call["id"]: result for edit, result in zip(edits, previews, strict=True)}
    return [
        _apply_result(evaluation, result, is_kept=evaluation.call["id"] in stay)
        if evaluation.verdict == "ask" and (result := results.get(evaluation.call["id"]))
        else evaluation
        for evaluation in evaluations
    ]


def _apply_result(
    evaluation: CallEvaluation, result: CallResult, *, is_kept: bool
) -> CallEvaluation:
    if result.ok:
        whole = str(result.metadata.get("diff", ""))
        diff = shorten_diff(whole, MAX_DIFF_LENGTH)
        reason = evaluation.reason if diff else text(NO_CHANGE, reason=evaluation.reason)
        if diff == whole and _is_complete(diff) and (changed := result.metadata.get(CHANGED)):
            evaluation = replace(evaluation, call={**evaluation.call, "instructions": changed})
        return replace(evaluation, reason=reason, diff=diff)
    if is_kept:
        reason = text(NO_DIFF, reason=evaluation.reason, why=result.error)
        return replace(evaluation, reason=reason)
    return replace(evaluation, verdict="deny", reason=result.error)


def _is_complete(diff: str) -> bool:
    """Return whether the diff shows every changed byte.

    The mark of a secret may hide text that only looks like one, and a moved file brings its
    content.
    """
    return not find_marks(diff) and "\nrename to " not in f"\n{diff}"
