"""Build mode: everything that the permissions allow."""

from langgraph.runtime import Runtime

from .agent.chat_turn import Spoken, chat_turn
from .context import Context
from .state import State


async def build(state: State, runtime: Runtime[Context]) -> Spoken:
    """Speak once in build mode."""
    return await chat_turn(state, runtime, "build")
