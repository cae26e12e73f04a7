"""The coder: edits until it reports that the change is complete; then the tests run."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .run.context import Context
from .state import State
from .turn.model_turn import run_model_turn


async def run_coder(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["approve", "compact", "coder", "verify", "review"]]:
    """Run one model turn; a complete change goes to the tests, or past them with `skip_tests`."""
    turn = await run_model_turn(state, runtime, "coder", handoff=state["request"])
    if turn.is_stopped:
        return Command(goto="review", update=turn.update)
    if turn.is_steered:
        return Command(goto="coder", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    # a turn's end; most turns call tools
    from .hooks.turn_hooks import continue_turn
    from .turn.todo_notes import ask_for_open_todos

    if update := ask_for_open_todos(state, runtime, "coder", turn.update, turn.final_text):
        return Command(goto="coder", update=update)
    if update := await continue_turn(state, runtime, "coder", turn.update, turn.final_text):
        return Command(goto="coder", update=update)
    proof = "review" if state.get("options", {}).get("skip_tests") else "verify"
    return Command(
        goto=proof, update={**turn.update, "summary": turn.final_text, "accepted": False}
    )
