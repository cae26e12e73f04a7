"""Start of a turn, before the model runs: the place to shorten long conversations."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .agent.context import Context
from .agent.modes import get_mode
from .state import State


async def compact(state: State, runtime: Runtime[Context]) -> Command[Literal["build", "plan"]]:
    """Go to the node of the current mode; nothing is shortened yet."""
    return Command(goto=get_mode(state.get("options", {})))
