"""Whether a request is planned first: `model.enable_tool_planner`."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, ToolMessage

from ..roles import RoleName
from ..run.agent import Agent
from ..state import State

# The roles that carry out a request
PLANNING_ROLES: frozenset[RoleName] = frozenset({"build", "plan", "coder", "editor"})


def needs_plan(state: State, agent: Agent, role: RoleName, messages: Sequence[AnyMessage]) -> bool:
    """Return whether the model is to name its steps before it answers these messages."""
    if not agent.deps.settings.model.enable_tool_planner or role not in PLANNING_ROLES:
        return False
    is_new = state.get("planned", 0) != state.get("turn", 1)
    begins = bool(messages) and not isinstance(messages[-1], ToolMessage)
    return is_new and begins and "todowrite" in agent.tools
