"""Build mode: everything that the permissions allow."""

from langgraph.runtime import Runtime

from .agent.chat_turn import ChatTransition, run_chat_turn
from .agent.context import Context
from .state import State


async def run_build_mode(state: State, runtime: Runtime[Context]) -> ChatTransition:
    """Speak once in build mode."""
    return await run_chat_turn(state, runtime, "build")
