"""One model turn of a conversation, in whichever mode: call tools, switch the mode, or answer."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..roles import RoleName
from ..state import State
from .context import Context
from .emit import emit_event
from .model_turn import run_model_turn

ChatTransition = Command[Literal["approve", "fit_schema", "__end__"]]


async def run_chat_turn(state: State, runtime: Runtime[Context], role: RoleName) -> ChatTransition:
    """Speak once; the turn ends with the first answer that calls nothing."""
    turn = await run_model_turn(state, runtime, role)
    if turn.final_text is None:
        return Command(goto="approve", update=turn.update)
    if not turn.update:  # by `attempt_completion`: nobody has seen it yet
        emit_event(runtime, "output", text=turn.final_text)
    said = {**turn.update, "outcome": "answered"}
    if state.get("options", {}).get("schema"):
        return Command(goto="fit_schema", update={**said, "summary": turn.final_text})
    return Command(goto="__end__", update=said)
