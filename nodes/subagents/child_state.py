"""The state of a child: a conversation of its own in the thread of its parent."""

from typing import Any, cast

from ..children.task import SubagentTask
from ..events.agent import ReportStatus
from ..options import Options
from ..run.limits import NOTHING_USED
from ..run.message_history import build_role_message
from ..state import State


class ChildState(State, total=False):
    """The channels of a child."""

    status: ReportStatus
    """How it ended; missing while it works."""
    failure: str
    """Why it failed, or was stopped."""


def build_child_input(
    task: SubagentTask, turns: int, earlier: ChildState | None = None
) -> ChildState:
    """Return the state in which a child starts.

    `earlier` is the state of the child whose work it continues.
    """
    request = task["child"]["task"]
    messages = list((earlier or {}).get("messages", []))
    child = ChildState(
        request=request,
        folder=task["folder"],
        options=cast(Options, {**task["options"], "max_cost": task["share"]}),
        messages=[*messages, build_role_message("agent", request)] if messages else [],
        role="agent",
        steps_allowed=turns,
        cost_allowed=task["share"],
        context_message=task["context_message"],
        allowed=task["allowed"],
        tree=task["tree"],
        file_entry=task["file_entry"],
        proven=task["proven"],
        turn=task["turn"],
        message_id=task["message_id"],
        usage=NOTHING_USED,
    )
    optional: dict[str, Any] = {"mcp": task["mcp"], "fallback": task["fallback"]}
    if earlier:
        optional["cuts"] = earlier.get("cuts")
    return cast(ChildState, {**child, **{key: value for key, value in optional.items() if value}})
