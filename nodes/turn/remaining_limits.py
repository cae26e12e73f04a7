"""What is left of a run's limits, for the model."""

import time
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage

from ..roles import RoleName
from ..run.context import Context
from ..run.dependencies import Dependencies
from ..run.limits import NOTHING_USED
from ..run.modes import build_note
from ..state import State


def build_remaining_note(
    state: State,
    context: Context,
    deps: Dependencies,
    allowed: Mapping[str, Any],
    role: RoleName,
) -> list[HumanMessage]:
    """Tell the model what is left: of a limit that the user has set, and of the last fifth of any.

    `allowed` are the totals of `enforce_limits`. The note goes to the end of the conversation and
    stays there, so that nothing before it changes.
    """
    options, parts = state.get("options", {}), list[str]()
    granted = options.get("max_turns") or deps.turns
    turns = int(allowed["steps_allowed"]) - state.get("steps", 0)
    if options.get("max_turns") or turns * 5 < granted:
        parts.append(f"{turns} of {granted} model turns")
    spent = state.get("usage", NOTHING_USED)["cost"]
    dollars = options.get("max_cost")
    if dollars and spent is not None:
        parts.append(f"${max(0.0, allowed['cost_allowed'] - spent):.2f} of ${dollars:g}")
    if context.deadline:
        parts.append(f"{max(0.0, context.deadline - time.monotonic()):.0f} seconds")
    if not parts:
        return []
    return [build_note(role, f"Left for this request: {', '.join(parts)}. Finish before they end.")]
