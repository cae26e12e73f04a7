"""A command that the sandbox blocked: the question whether to run it once more outside of it.

The call waits at the head of the queue, so clearing the queue withdraws the question. Its first run
is recorded under the call's own ID, the second under another one.
"""

from collections.abc import Mapping

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

from ...memory.journal import FinishedCall, Journal
from ...tools.permissions.restrictions import OUTSIDE
from ...tools.result import CallResult
from ...tools.runtime.invoke import render_for_model
from ..roles import RoleName
from ..run.dependencies import Dependencies
from ..run.message_history import build_tool_message
from ..state import State
from ..tool_task import PendingCall
from .evaluate import BLOCKED_INSIDE, CallEvaluation, evaluate_queued, with_reason


def find_waiting_call(state: State) -> PendingCall | None:
    """Return the call to ask about once more, for the sandbox or a hook, if there is one."""
    queue = state.get("queue") or [[]]
    first = queue[0][0] if queue[0] else None
    return first if first and {"blocked", "hook"} & first.keys() else None


def ask_outside(
    call: PendingCall, tools: Mapping[str, BaseTool], deps: Dependencies
) -> CallEvaluation:
    """Return the question; a denial if the call may not even be asked any more."""
    if (tool := tools.get(call["name"])) is None:
        return CallEvaluation(call, "deny", f"no tool `{call['name']}` any more")
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
