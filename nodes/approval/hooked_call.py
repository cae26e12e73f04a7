"""A call that a hook has asked: the question waits at the head of the queue."""

from collections.abc import Mapping
from dataclasses import replace

from langchain_core.tools import BaseTool

from ...config.text import join_texts
from ..hooks.notices import format_question
from ..run.dependencies import Dependencies
from ..tool_task import PendingCall
from .evaluate import CallEvaluation, evaluate_queued


def ask_hooked(
    call: PendingCall, tools: Mapping[str, BaseTool], deps: Dependencies
) -> CallEvaluation:
    """Return the question; a denial if the call may not even be asked any more."""
    if (tool := tools.get(call["name"])) is None:
        return CallEvaluation(call, "deny", f"no tool `{call['name']}` any more")
    evaluation = evaluate_queued(call, tool, deps)
    if evaluation.verdict == "deny":
        return evaluation
    asks = format_question(call.get("hook", ""))
    reasons = [evaluation.reason] if evaluation.verdict == "ask" else []
    # no rule would keep the hook from asking
    return replace(
        evaluation, verdict="ask", reason=join_texts("; ", [*reasons, asks]), suggested_rule=""
    )
