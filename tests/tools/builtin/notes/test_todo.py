from pathlib import Path

import pytest

from maxagent.tools.builtin.notes.todo import todoclear, todoread, todowrite
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


class Thread:
    """Keeps the list between calls, as the thread's state does."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.todos: list[dict[str, str]] = []

    async def call(self, tool: object, **args: object) -> CallResult:
        run = ToolRun(self.workspace, "c", self.workspace.root, todos=self.todos)
        result = await invoke(tool, args, run)
        self.todos = result.update.get("todos", self.todos)
        return result


async def test_a_list_lives_through_all_its_actions(tmp_path: Path) -> None:
    thread = Thread(tmp_path)
    await thread.call(todowrite, todos=["read", {"content": "fix", "priority": "high"}])
    await thread.call(todowrite, todos="<task>test</task>", action="add_task")
    await thread.call(todowrite, todos=["1"], action="mark_completed")
    await thread.call(todowrite, todos=[{"id": "2", "details": "half"}], action="mark_progress")
    await thread.call(
        todowrite, todos=[{"id": 3, "status": "cancelled", "file_path": "t.py"}], action="update"
    )
    assert (await thread.call(todoread)).output.splitlines() == [
        "1. [x] read",
        "2. [>] fix (high)",
        "   half",
        "3. [-] test t.py",
        "1 of 3 completed",
    ]
    await thread.call(todowrite, todos="afresh")
    assert [todo["content"] for todo in thread.todos] == ["afresh"]
    assert (await thread.call(todoclear)).update == {"todos": []}
    assert (await thread.call(todoread)).output == "The todo list is empty."


async def test_empty_list_and_wrong_action_are_refused(tmp_path: Path) -> None:
    thread = Thread(tmp_path)
    assert "names no task" in (await thread.call(todowrite, todos=[])).error
    wrong = await thread.call(todowrite, todos=["a"], action="finish")
    assert "`action`: Input should be 'create'" in wrong.error
    assert thread.todos == []


@pytest.mark.parametrize(
    "ids", [[1, 2], ["1", "2"], [1, "2"], [{"id": 1}, 2], "[1, 2]", ["read", "fix"]]
)
async def test_tasks_are_named_by_number_or_text(ids: object, tmp_path: Path) -> None:
    thread = Thread(tmp_path)
    await thread.call(todowrite, todos=["read", "fix"])
    result = await thread.call(todowrite, todos=ids, action="mark_completed")
    assert result.output.endswith("2 of 2 completed")


@pytest.mark.parametrize("todos", [[1.5], [None], [["a"]], [{"status": "gone"}], {"a": 1}])
async def test_wrong_tasks_are_refused_in_plain_words(todos: object, tmp_path: Path) -> None:
    error = (await Thread(tmp_path).call(todowrite, todos=todos)).error
    assert "`todos` must be array | string, such as [" in error and "you sent" in error
    assert "union" not in error and "Input should be" not in error
