"""The node `agent`: one model turn of a sub-agent, with tool calls or its report."""

from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.errors import UsageError
from ..models.errors import ModelCallError
from .events.agent import ReportStatus
from .run.context import Context
from .state import State
from .subagents.budget import build_limit_message
from .turn.model_turn import run_model_turn

AgentTransition = Command[Literal["agent", "approve", "compact", "__end__"]]
LOOPED = "it kept repeating the same calls"


async def run_agent_turn(state: State, runtime: Runtime[Context]) -> AgentTransition:
    """Run one model turn; an answer without tool calls, or at a limit, is the report."""
    limit_message = build_limit_message(state, runtime.context)
    try:
        turn = await run_model_turn(state, runtime, "agent", state["request"], limit_message)
    except (ModelCallError, UsageError) as error:
        return _end("failed", {"failure": error.message})
    if turn.is_stopped:
        return _end("partial", {**turn.update, "failure": LOOPED})
    if turn.is_steered:
        return Command(goto="agent", update=turn.update)
    if turn.final_text is not None:
        update = {**turn.update, "summary": turn.final_text}
        return _end("partial" if limit_message else "done", update)
    if limit_message and turn.goto == "approve":  # it calls tools in spite of the message
        return _end("partial", turn.update)
    return Command(goto=turn.goto, update=turn.update)


def _end(status: ReportStatus, update: dict[str, Any]) -> AgentTransition:
    return Command(goto="__end__", update={**update, "status": status, "outcome": "answered"})
