"""Answers to cancelled calls: providers reject a conversation without them."""

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ...memory.journal import SECOND_RUN, AskedCall, FinishedCall, Journal, UnfinishedCall
from ...tools.result import CallResult
from ..roles import RoleName
from ..run.message_history import build_tool_message

ABANDONED = "The user did not wait for this call and went on without it. It was not run."
HALF_RUN = (
    "The user did not wait for this call. It had been started at {started}, so it may have done "
    "all, some or nothing: look before you repeat it."
)
UNANSWERED = (
    "The server asked the user something in this call. They did not answer and went on, so the "
    "call was not carried out any further."
)
PRINTED = " What it had printed by then:\n\n{output}"


def answer_cancelled_calls(
    newest_first: Iterable[AnyMessage], role: RoleName, journal: Journal, thread: str
) -> list[ToolMessage]:
    """Answer each unanswered call of the last answer, according to the thread's journal."""
    answered = set[str]()
    for message in newest_first:
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
        if isinstance(message, AIMessage):
            calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
            left = [call for call in calls if call["id"] not in answered]
            return [_answer_call(call, role, journal, thread) for call in left]
    return []


def _answer_call(call: Any, role: RoleName, journal: Journal, thread: str) -> ToolMessage:
    # for a command to retry outside the sandbox: the result of its first run
    recorded_call = journal.find_call(thread, call["id"] + SECOND_RUN) or journal.find_call(
        thread, call["id"]
    )
    name = call["name"] or "unknown"
    if isinstance(recorded_call, FinishedCall):
        from ...tools.runtime.invoke import render_for_model

        result = CallResult(**recorded_call.result)
        return build_tool_message(
            call["id"], name, role, render_for_model(result), ok=result.ok, seen=result.seen
        )
    text = UNANSWERED if isinstance(recorded_call, AskedCall) else ABANDONED
    if isinstance(recorded_call, UnfinishedCall):
        text = _describe_unfinished(recorded_call)
    return build_tool_message(call["id"], name, role, text, ok=False)


def _describe_unfinished(unfinished_call: UnfinishedCall) -> str:
    printed = PRINTED.format(output=unfinished_call.output) if unfinished_call.output else ""
    return HALF_RUN.format(started=unfinished_call.started_at) + printed
