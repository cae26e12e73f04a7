"""Rounds of repair: a change goes back to whoever made it, a limited number of times."""

from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..events.progress import Repair
from ..state import State
from .context import Context
from .emit import emit


def choose_worker(state: State) -> Literal["coder", "tester"]:
    """Return the role that makes the change: the tester if the task writes tests for a file."""
    return "tester" if state.get("options", {}).get("tests_for") else "coder"


async def send_back(
    state: State, runtime: Runtime[Context], update: dict[str, Any], remark: HumanMessage
) -> tuple[Literal["coder", "tester", "review"], dict[str, Any]]:
    """Send `remark` to who made the change, or go to the review if no round is left."""
    deps = await runtime.context.open_dependencies(state)
    rounds, allowed = state.get("rounds", 0), deps.settings.task.repair_rounds
    undecided = {**update, "accepted": False, "kept": False}
    if rounds >= allowed:
        return "review", undecided
    emit(runtime, Repair(round=rounds + 1, of=allowed))
    messages = [*update.get("messages", []), remark]
    return choose_worker(state), {**undecided, "messages": messages, "rounds": rounds + 1}
