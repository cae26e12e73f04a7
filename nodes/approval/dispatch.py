"""Dispatch of allowed calls: read-only ones run together, all others one by one."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from langchain_core.tools import BaseTool
from langgraph.types import Command, Send

from ...tools.definition import is_read_only_tool
from ...tools.tool_table import get_need
from ...tools.workspace import Workspace
from ..cards.note_origin import find_origin
from ..conversation.cut import get_conversation
from ..conversation.loaded_skills import find_loaded_skills
from ..repetition.repeated_calls import find_earlier_answer
from ..run.message_history import find_last_seen, iter_newest_first, select_view
from ..state import State
from ..subagents.payload import build_subagent_task
from ..tool_task import AfterTools, PendingCall, ToolTask, list_named_files

DispatchTransition = Command[
    Literal[
        "approve",
        "tools",
        "subagent",
        "switch",
        "architect",
        "coder",
        "tester",
        "editor",
        "build",
        "plan",
        "agent",
    ]
]
Tools = Mapping[str, BaseTool]


def group_calls(
    calls: Sequence[PendingCall],
    tools: Tools,
    *,
    parallel: bool,
    alone: Collection[str] = (),
) -> list[list[PendingCall]]:
    """Cut calls into groups that run one after the other, in the model's order.

    Notes change the thread's state, so each must see the previous one's write. Without `parallel`
    each call is a group: some providers ignore the request for one call at a time. A call of a
    tool in `alone` is a group, too: its hook may have it asked.
    """
    if not parallel:
        return [[call] for call in calls]
    groups: list[list[PendingCall]] = []

    def get_kind(call: PendingCall) -> Literal["child", "reads", "alone"]:
        if "child" in call:
            return "child"
        joins = is_read_only_tool(tools[call["name"]]) and call["name"] not in alone
        return "reads" if joins else "alone"

    for kind, run in groupby(calls, key=get_kind):
        together = list(run)
        if kind == "child":
            groups += group_children(together)
        else:
            groups += [together] if kind == "reads" else [[call] for call in together]
    return groups


def group_children(calls: Sequence[PendingCall]) -> list[list[PendingCall]]:
    """Cut calls of sub-agents into groups with one that writes at most; others run beside it."""
    groups: list[list[PendingCall]] = [[]]
    for call in calls:
        if _is_writer(call) and any(map(_is_writer, groups[-1])):
            groups.append([])
        groups[-1].append(call)
    return groups


def _is_writer(call: PendingCall) -> bool:
    child = call.get("child")
    return child is not None and child["writes"] and not child.get("isolated")


def dispatch(
    state: State,
    groups: list[list[PendingCall]],
    tools: Tools,
    workspace: Workspace,
    update: dict[str, Any] | None = None,
) -> DispatchTransition:
    """Start the first group and queue the rest; with no group, return to the role."""
    role = state.get("role", "coder")
    if not groups:
        return Command(goto=role, update=update)
    first, rest = groups[0], groups[1:]
    then: AfterTools = "approve" if rest else role
    allowed = (update or {}).get("allowed", state.get("allowed", []))
    shared: dict[str, Any] = {"rest": rest, "allowed": allowed}
    if len(first) > 1:
        shared["together"] = len(first)
    sends = [
        Send("subagent", build_subagent_task(state, call, child, len(first), allowed))
        if (child := call.get("child"))
        else Send("tools", {**_build_task(state, call, then, tools, workspace), **shared})
        for call in first
    ]
    return Command(goto=sends, update={**(update or {}), "queue": rest})


def _build_task(
    state: State, call: PendingCall, then: AfterTools, tools: Tools, workspace: Workspace
) -> ToolTask:
    named, role = list_named_files(call, tools[call["name"]], workspace), state.get("role", "coder")
    task = ToolTask(
        call=call,
        role=role,
        folder=state["folder"],
        options=state.get("options", {}),
        seen=find_last_seen(state, named),
        todos=state.get("todos", []),
        tree=state.get("tree", ""),
        turn=state.get("turn", 1),
        then=then,
    )
    if offer := state.get("mcp"):
        task["mcp"] = offer
    cut = state.get("cuts", {}).get(get_conversation(role))
    newest_first = iter_newest_first(state, role)
    need = get_need(call["name"])
    if need == "text_origin":
        task["note"] = find_origin(state, str(call["args"].get("content", "")))
    if need == "shown_skills":
        task["skills"] = find_loaded_skills(select_view(state, role))
    if earlier := find_earlier_answer(newest_first, call["name"], call["args"], cut):
        task["earlier"] = earlier
    return task
