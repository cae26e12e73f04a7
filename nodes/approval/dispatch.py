"""Send allowed calls to the tools: reading ones together, all others one by one."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langgraph.types import Command, Send

from ...tools.definition import looks_only, named_paths
from ...tools.result import ToolRefusal
from ...tools.workspace import Workspace
from ..agent.message_history import last_seen
from ..state import AfterTools, Queued, State, ToolTask

Dispatched = Command[
    Literal["approve", "tools", "switch", "architect", "coder", "tester", "editor", "build", "plan"]
]
Tools = Mapping[str, BaseTool]


def grouped(calls: Sequence[Queued], tools: Tools) -> list[list[Queued]]:
    """Cut calls into groups that run one after the other, in the model's order.

    Notes change the thread's state, so each must see what the one before it wrote.
    """
    groups: list[list[Queued]] = []
    for reads, run in groupby(calls, key=lambda call: looks_only(tools[call["name"]])):
        together = list(run)
        groups += [together] if reads else [[call] for call in together]
    return groups


def dispatch(
    state: State,
    groups: list[list[Queued]],
    tools: Tools,
    workspace: Workspace,
    update: dict[str, Any] | None = None,
) -> Dispatched:
    """Start the first group and queue the rest; with no group, let the role read its answers."""
    role = state.get("role", "coder")
    if not groups:
        return Command(goto=role, update=update)
    first, rest = groups[0], groups[1:]
    then: AfterTools = "approve" if rest else role
    allowed = (update or {}).get("allowed", state.get("allowed", []))
    sends = [
        Send(
            "tools",
            {**_task(state, call, then, tools, workspace), "rest": rest, "allowed": allowed},
        )
        for call in first
    ]
    return Command(goto=sends, update={**(update or {}), "queue": rest})


def _task(
    state: State, call: Queued, then: AfterTools, tools: Tools, workspace: Workspace
) -> ToolTask:
    named = named_files(call, tools[call["name"]], workspace)
    return ToolTask(
        call=call,
        role=state.get("role", "coder"),
        folder=state["folder"],
        options=state.get("options", {}),
        seen=last_seen(state, named),
        todos=state.get("todos", []),
        tree=state.get("tree", ""),
        turn=state.get("turn", 1),
        then=then,
    )


def named_files(call: Queued, tool: BaseTool, workspace: Workspace) -> list[str]:
    """The files that the call names, relative to the project; one that is refused has no entry."""
    files: list[str] = []
    for name in named_paths(tool, call["args"]):
        try:
            files.append(workspace.relative(workspace.resolve(name)))
        except ToolRefusal:
            continue
    return files
