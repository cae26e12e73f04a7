"""The tools that keep the thread's todo list."""

from typing import Literal

from ...definition import Run, tool
from ...result import ToolRefusal, ToolResult
from ...todo_list import Item, Status, Todo, created, items_of, shown, updated

Action = Literal["create", "add_task", "update", "mark_progress", "mark_completed"]
_STATUS: dict[Action, Status] = {"mark_progress": "in_progress", "mark_completed": "completed"}


@tool("note")
async def todowrite(
    todos: list[Item | str] | str, action: Action = "create", *, run: Run
) -> ToolResult:
    """Write the todo list: replace it, add tasks, or change tasks by their ids."""
    items = items_of(todos)
    if not items:
        raise ToolRefusal("`todos` names no task; give a list, or use todoclear to empty it")
    if action == "create":
        return _answer(created(items))
    if action == "add_task":
        return _answer(created(items, run.todos))
    return _answer(updated(run.todos, items, _STATUS.get(action)))


@tool("note")
async def todoread(*, run: Run) -> ToolResult:
    """Show the todo list as it is now, with the id and the state of every task."""
    return ToolResult(shown(run.todos))


@tool("note")
async def todoclear(*, run: Run) -> ToolResult:
    """Empty the todo list."""
    return _answer([])


def _answer(todos: list[Todo]) -> ToolResult:
    return ToolResult(shown(todos), update={"todos": todos})
