"""The answer must fit the JSON schema that the user gave; else its speaker is told why not."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .context import Context
from .state import State


async def fit_schema(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["build", "plan", "__end__"]]:
    """End the turn."""
    return Command(goto="__end__")
