"""The tools `todowrite`, `todoread` and `todoclear`."""

from typing import Literal

from ...definition import tool
from ...result import CallResult, ToolError
from ...todo_list import Items, Status, Todo, add_todos, parse_items, render_todos, update_todos
from ...tool_run import Run

Action = Literal["create", "add_task", "update", "mark_progress", "mark_completed"]
_STATUS: dict[Action, Status] = {"mark_progress": "in_progress", "mark_completed": "completed"}


@tool("note")
async def todowrite(todos: Items, action: Action = "create", *, run: Run) -> CallResult:
    """Write the todo list: replace it, add tasks, or change tasks by their ids."""
    items = parse_items(todos)
    if not items:
        raise ToolError("`todos` names no task; give a list, or use todoclear to empty it")
    if action == "create":
        return _build_result(add_todos(items))
    if action == "add_task":
        return _build_result(add_todos(items, run.todos))
    return _build_result(update_todos(run.todos, items, _STATUS.get(action)))


@tool("note")
async def todoread(*, run: Run) -> CallResult:
    """Show the todo list as it is now, with the id and the state of every task."""
    return CallResult(render_todos(run.todos))


@tool("note")
async def todoclear(*, run: Run) -> CallResult:
    """Empty the todo list."""
    return _build_result([])


def _build_result(todos: list[Todo]) -> CallResult:
    return CallResult(render_todos(todos), update={"todos": todos})
