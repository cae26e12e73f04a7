"""Before the model speaks in a new turn: where a conversation that is too long will shrink."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .agent.context import Context
from .agent.modes import get_mode
from .state import State


async def compact(state: State, runtime: Runtime[Context]) -> Command[Literal["build", "plan"]]:
    """Go on to the mode that speaks; nothing is shortened yet."""
    return Command(goto=get_mode(state.get("options", {})))
