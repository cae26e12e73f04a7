"""The architect: reads the project, plans, and writes a brief for the coder."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.todo_list import Todo, find_open_todos
from .events.progress import Plan, Todos
from .run.context import Context
from .run.emit import emit
from .run.message_history import build_role_message
from .state import State
from .turn.model_turn import run_model_turn
from .turn.new_request import build_job_update

WITH_PLAN = "{request}\n\nThe architect's plan:\n\n{plan}"
AS_TODOS = (
    "\n\nThe plan's steps are your todo list, under the same numbers. Mark each with todowrite "
    "when you begin it and when it is done."
)


async def run_architect(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["architect", "approve", "compact", "coder", "review"]]:
    """Run one model turn; when the plan is complete, brief the coder."""
    if state.get("outcome"):
        return Command(
            goto="architect", update=build_job_update(state, "architect", state["request"])
        )
    turn = await run_model_turn(state, runtime, "architect", handoff=state["request"])
    if turn.is_stopped:
        return Command(goto="review", update=turn.update)
    if turn.is_steered:
        return Command(goto="architect", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    plan = extract_plan(turn.final_text)
    if plan:
        emit(runtime, Plan(plan))
    request = state["request"]
    text = (
        WITH_PLAN.format(request=request, plan=plan)
        if plan
        else _build_small_request(request, turn.final_text)
    )
    update = dict(turn.update)
    if plan and (todos := _read_todos(plan, state)):
        emit(runtime, Todos([*todos]))
        update["todos"] = todos
        text += AS_TODOS
    update["messages"] = [*turn.update.get("messages", []), build_role_message("coder", text)]
    return Command(goto="coder", update=update)


def _read_todos(plan: str, state: State) -> list[Todo]:
    """Return the plan's steps as todos, unless the architect has written a list itself."""
    from .turn.plan_steps import parse_plan_steps

    return [] if find_open_todos(state.get("todos", [])) else parse_plan_steps(plan)


def extract_plan(words: str) -> str:
    """Return the plan; empty if the first line says that the task is small."""
    return "" if _extract_first_word(words) == "SMALL" else words.strip()


def _build_small_request(request: str, words: str) -> str:
    where = words.strip().lstrip("*#` ")[len("SMALL") :].strip("*#`:., \n")
    return f"{request}\n\n(The architect: {where})" if where else request


def _extract_first_word(words: str) -> str:
    return next(iter(words.strip().lstrip("*#` ").split()), "").strip("*#`:.,")
