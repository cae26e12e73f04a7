"""Rounds of repair: a change goes back to the coder, a limited number of times."""

from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..state import State
from .context import Context
from .emit import emit_event


async def send_back(
    state: State, runtime: Runtime[Context], update: dict[str, Any], remark: HumanMessage
) -> tuple[Literal["coder", "review"], dict[str, Any]]:
    """Send `remark` to the coder, or go to the review if no round is left."""
    deps = await runtime.context.open_dependencies(state)
    rounds, allowed = state.get("rounds", 0), deps.settings.task.repair_rounds
    undecided = {**update, "accepted": False, "kept": False}
    if rounds >= allowed:
        return "review", undecided
    emit_event(runtime, "repair", round=rounds + 1, of=allowed)
    messages = [*update.get("messages", []), remark]
    return "coder", {**undecided, "messages": messages, "rounds": rounds + 1}
