"""The nodes `build` and `plan`: one model turn of a conversation, with tool calls or an answer."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .events.model import Output
from .roles import RoleName
from .run.context import Context
from .run.emit import emit
from .run.message_history import is_tool_answer
from .state import State
from .turn.model_turn import run_model_turn

ChatTransition = Command[
    Literal["approve", "compact", "build", "plan", "check", "fit_schema", "__end__"]
]


async def run_chat_turn(state: State, runtime: Runtime[Context], role: RoleName) -> ChatTransition:
    """Run one model turn; an answer without tool calls ends the user's turn."""
    turn = await run_model_turn(state, runtime, role)
    if turn.is_stopped:
        return Command(goto="__end__", update={**turn.update, "outcome": "failed"})
    if turn.is_steered:
        return Command(goto="plan" if role == "plan" else "build", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    # a turn's end; most turns call tools
    from .hooks.turn_hooks import continue_turn
    from .turn.todo_notes import ask_for_open_todos

    if update := ask_for_open_todos(state, runtime, role, turn.update, turn.final_text):
        return Command(goto="plan" if role == "plan" else "build", update=update)
    if update := await continue_turn(state, runtime, role, turn.update, turn.final_text):
        return Command(goto="plan" if role == "plan" else "build", update=update)
    if not turn.update and is_tool_answer(state, role):  # it was not shown yet
        emit(runtime, Output(turn.final_text))
    if role == "build" and state.get("options", {}).get("goal"):
        return Command(goto="check", update={**turn.update, "summary": turn.final_text})
    update = {**turn.update, "outcome": "answered", "summary": turn.final_text}
    goto = "fit_schema" if state.get("options", {}).get("schema") else "__end__"
    return Command(goto=goto, update=update)


async def run_build_mode(state: State, runtime: Runtime[Context]) -> ChatTransition:
    """Run one model turn in build mode."""
    return await run_chat_turn(state, runtime, "build")


async def run_plan_mode(state: State, runtime: Runtime[Context]) -> ChatTransition:
    """Run one model turn in plan mode."""
    return await run_chat_turn(state, runtime, "plan")
