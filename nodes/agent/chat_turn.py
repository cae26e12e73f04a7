"""One model turn of a conversation, in whichever mode: call tools, switch the mode, or answer."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..context import Context
from ..state import RoleName, State
from .emit import tell
from .model_turn import take_turn

Spoken = Command[Literal["approve", "fit_schema", "__end__"]]


async def chat_turn(state: State, runtime: Runtime[Context], role: RoleName) -> Spoken:
    """Speak once; the turn ends with the first answer that calls nothing."""
    turn = await take_turn(state, runtime, role)
    if turn.words is None:
        return Command(goto="approve", update=turn.update)
    if not turn.update:  # by `attempt_completion`: nobody has seen it yet
        tell(runtime, "output", text=turn.words)
    said = {**turn.update, "outcome": "answered"}
    if state.get("options", {}).get("schema"):
        return Command(goto="fit_schema", update={**said, "summary": turn.words})
    return Command(goto="__end__", update=said)
