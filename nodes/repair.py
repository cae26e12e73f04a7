"""Send a change back to the coder, a bounded number of times."""

from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from .context import Context
from .state import State
from .tell import tell
from .workbench import workbench


async def send_back(
    state: State, runtime: Runtime[Context], update: dict[str, Any], told: HumanMessage
) -> Command[Literal["coder", "review"]]:
    """To the coder with `told`; to the human's review when the repair rounds are used up."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    rounds = state.get("rounds", 0)
    if rounds >= bench.settings.task.repair_rounds:
        return Command(goto="review", update={**update, "accepted": False})
    tell(runtime, "repair", round=rounds + 1, of=bench.settings.task.repair_rounds)
    messages = [*update.get("messages", []), told]
    return Command(
        goto="coder",
        update={
            **update,
            "messages": messages,
            "rounds": rounds + 1,
            "accepted": False,
            "kept": False,
        },
    )
