"""The payload of a child: what it gets of its parent's state."""

from collections.abc import Sequence
from typing import cast

from ...memory.worktrees.record import Worktree
from ..children.task import ChildTask, SubagentTask
from ..options import FOR_CHILDREN_NOT, Options
from ..run.modes import get_active_agent
from ..state import State
from ..tool_task import PendingCall
from .budget import compute_share


def build_subagent_task(
    state: State, call: PendingCall, child: ChildTask, children: int, allowed: Sequence[str]
) -> SubagentTask:
    """Return the payload of one child; `children` is the size of its group."""
    options = state.get("options", {})
    sender = get_active_agent(options, state.get("role", "coder"))
    return SubagentTask(
        call_id=call["id"],
        notice=call["notice"],
        child=child,
        folder=state["folder"],
        options=_build_options(options, child, sender),
        allowed=[*allowed],
        tree=state.get("tree", ""),
        file_entry=state.get("file_entry", 0),
        proven=state.get("proven", True),
        turn=state.get("turn", 1),
        message_id=state.get("message_id", ""),
        context_message=state.get("context_message", ""),
        mcp=state.get("mcp", ""),
        fallback=state.get("fallback", ""),
        share=compute_share(state, children),
    )


def _build_options(options: Options, child: ChildTask, sender: str) -> Options:
    """Return the thread's options, under the child's profile."""
    inherited = {key: value for key, value in options.items() if key not in FOR_CHILDREN_NOT}
    return cast(Options, {**inherited, "subagent": child["agent"], "sender": sender})


def move_task(task: SubagentTask, worktree: Worktree) -> SubagentTask:
    """Return the task moved into a worktree, where the child's file history begins."""
    isolated: SubagentTask = {**task, "folder": str(worktree.folder)}
    return {**isolated, "tree": worktree.base, "file_entry": 0, "proven": True}
