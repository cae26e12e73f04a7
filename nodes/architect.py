"""The architect: reads the project and plans; hands a brief to the coder."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .agent.emit import tell
from .agent.message_history import brief
from .agent.model_turn import take_turn
from .agent.new_request import next_job
from .context import Context
from .state import State

WITH_PLAN = "{request}\n\nThe architect's plan:\n\n{plan}"


async def architect(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["architect", "approve", "coder"]]:
    """Speak once; when the plan stands, brief the coder."""
    if state.get("outcome"):
        return Command(goto="architect", update=next_job(state, "architect", state["request"]))
    turn = await take_turn(state, runtime, "architect", opening=state["request"])
    if turn.words is None:
        return Command(goto="approve", update=turn.update)
    plan = plan_in(turn.words)
    if plan:
        tell(runtime, "plan", text=plan)
    request = state["request"]
    text = WITH_PLAN.format(request=request, plan=plan) if plan else _small(request, turn.words)
    messages = [*turn.update.get("messages", []), brief("coder", text)]
    return Command(goto="coder", update={**turn.update, "messages": messages})


def plan_in(words: str) -> str:
    """The plan, or nothing when the architect calls the task small on its first line."""
    return "" if _first_word(words) == "SMALL" else words.strip()


def _small(request: str, words: str) -> str:
    where = words.strip().lstrip("*#` ")[len("SMALL") :].strip("*#`:., \n")
    return f"{request}\n\n(The architect: {where})" if where else request


def _first_word(words: str) -> str:
    return next(iter(words.strip().lstrip("*#` ").split()), "").strip("*#`:.,")
