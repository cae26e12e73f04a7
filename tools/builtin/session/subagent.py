"""The `subagent` tool: sends other agents. The graph runs them; this is what the model calls."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, cast

from langchain_core.tools import BaseTool
from typing_extensions import TypedDict

from ...aliases import rename_arguments
from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run

MAX_TASKS = 16
MAX_DESCRIPTION_LENGTH = 140
SUBAGENT = "subagent"


class TaskItem(TypedDict):
    """One of several tasks."""

    agent_type: str
    task: str
    resume: NotRequired[str]


@tool("note")
async def subagent(
    agent_type: str = "",
    task: str = "",
    resume: str = "",
    tasks: list[TaskItem] | None = None,
    *,
    run: Run,
) -> CallResult:
    """Send an agent; the graph does that instead of calling this."""
    raise ToolError("no agent can be sent here")


def read_tasks(args: Mapping[str, object]) -> list[TaskItem]:
    """Return the tasks of a call; raises ToolError if there is none, or too many."""
    several = args.get("tasks")
    items: Sequence[object] = cast("list[object]", several) if isinstance(several, list) else [args]
    if not items or len(items) > MAX_TASKS:
        raise ToolError(f"`tasks` takes 1 to {MAX_TASKS} tasks, not {len(items)}")
    return [_read_task(item) for item in items]


def _read_task(item: object) -> TaskItem:
    if not isinstance(item, Mapping):
        raise ToolError("each of `tasks` is an object with `agent_type` and `task`")
    args = rename_arguments(SUBAGENT, cast("Mapping[str, object]", item), TaskItem.__annotations__)
    texts = {name: str(args.get(name) or "").strip() for name in TaskItem.__annotations__}
    if not texts["task"]:
        raise ToolError("`task` is empty: say what the agent is to do and to report")
    if not (texts["agent_type"] or texts["resume"]):
        raise ToolError("`agent_type` is missing: name the agent to send")
    return cast(TaskItem, {name: value for name, value in texts.items() if value})


def describe_agents(tool: BaseTool, agents: Mapping[str, str]) -> BaseTool:
    """Return the tool with these agents in its description."""
    lines = [f"- {name}: {shorten_description(text)}" for name, text in sorted(agents.items())]
    description = "\n".join([tool.description, "Agents:", *lines])
    return tool.model_copy(update={"description": description})


def shorten_description(text: str) -> str:
    """Return an agent's description on one line."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_DESCRIPTION_LENGTH else f"{line[: MAX_DESCRIPTION_LENGTH - 1]}…"
