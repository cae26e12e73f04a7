"""Plan mode: look, ask, and write the plan; the permissions refuse everything else."""

from langgraph.runtime import Runtime

from .agent.chat_turn import Spoken, chat_turn
from .context import Context
from .state import State


async def plan(state: State, runtime: Runtime[Context]) -> Spoken:
    """Speak once in plan mode."""
    return await chat_turn(state, runtime, "plan")
