"""Plan mode: look, ask, and write the plan; the permissions refuse everything else."""

from langgraph.runtime import Runtime

from .agent.chat_turn import ChatTransition, run_chat_turn
from .agent.context import Context
from .state import State


async def run_plan_mode(state: State, runtime: Runtime[Context]) -> ChatTransition:
    """Speak once in plan mode."""
    return await run_chat_turn(state, runtime, "plan")
