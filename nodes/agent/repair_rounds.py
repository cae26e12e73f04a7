"""Send a change back to the coder, a bounded number of times."""

from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..context import Context
from ..state import State
from .dependencies import open_dependencies
from .emit import emit_event


async def send_back(
    state: State, runtime: Runtime[Context], update: dict[str, Any], told: HumanMessage
) -> tuple[Literal["coder", "review"], dict[str, Any]]:
    """Where to go and with what: the coder with `told`, or the review when no round is left."""
    bench = await open_dependencies(state["folder"], state.get("options", {}), runtime.context)
    rounds, allowed = state.get("rounds", 0), bench.settings.task.repair_rounds
    undecided = {**update, "accepted": False, "kept": False}
    if rounds >= allowed:
        return "review", undecided
    emit_event(runtime, "repair", round=rounds + 1, of=allowed)
    messages = [*update.get("messages", []), told]
    return "coder", {**undecided, "messages": messages, "rounds": rounds + 1}
