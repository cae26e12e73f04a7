"""A turn of the tester that writes tests for a file; then the project's tests run."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..run.context import Context
from ..state import State
from ..turn.model_turn import run_model_turn
from ..turn.new_request import build_job_update
from .generation import build_brief


async def write_tests(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["approve", "compact", "tester", "coder", "verify", "review"]]:
    """Run one model turn; complete tests go to the run that proves them."""
    brief = build_brief(state)
    if state.get("outcome"):
        return Command(goto="tester", update=build_job_update(state, "tester", brief))
    turn = await run_model_turn(state, runtime, "tester", handoff=brief)
    if turn.is_stopped:
        return Command(goto="review", update=turn.update)
    if turn.is_steered:
        return Command(goto="tester", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    # a turn's end; most turns call tools
    from ..hooks.turn_hooks import continue_turn
    from ..turn.todo_notes import ask_for_open_todos

    if update := ask_for_open_todos(state, runtime, "tester", turn.update, turn.final_text):
        return Command(goto="tester", update=update)
    if update := await continue_turn(state, runtime, "tester", turn.update, turn.final_text):
        return Command(goto="tester", update=update)
    # nobody else judges them: the run and what was changed decide
    update = {**turn.update, "summary": turn.final_text, "accepted": True}
    return Command(goto="verify", update=update)
