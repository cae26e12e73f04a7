"""The steps of a request, which the model names before it begins: one request more a message.

The request begins as the conversation's own, so that the provider's cache has it, and its answer is
kept in the same superstep as the todo list: a kill repeats the request and nothing else.
"""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...models.errors import ModelCallError
from ...tools.todo_list import Todo, add_todos, parse_items, render_todos
from ..events.progress import Notice, Todos
from ..messages.context_message import to_context_messages
from ..roles import RoleName
from ..run.agent import Agent
from ..run.context import Context
from ..run.emit import emit
from ..run.limits import NOTHING_USED, add_usage, count_usage, emit_usage
from ..run.modes import build_note
from ..run.request_options import build_request_options
from ..state import State
from .side_request import ask_aside

NOT_PLANNED = "the steps could not be planned: {reason}"
MAX_STEPS = 12
MAX_STEP_LENGTH = 200
# Tokens of the answer, about
TOKENS = 1_000
INSTRUCTION = (
    f"Before you begin: which steps does this request take? Answer with at most {MAX_STEPS} lines "
    "and nothing else, each `- STEP (TOOLS)`, with the tools that you want to use for the step. "
    "Call no tool now. If the request takes no tool, or a single step, answer only NONE."
)
AS_TODOS = "These steps are your todo list now; keep it up to date while you work:\n{todos}"
_STEP = re.compile(r"\s*(?:[-*•+]|\d+[.)])\s+\S")


async def plan_steps(
    state: State,
    runtime: Runtime[Context],
    agent: Agent,
    role: RoleName,
    messages: Sequence[AnyMessage],
) -> dict[str, Any]:
    """Return the state changes: the steps as the todo list, a note about it, and the usage."""
    update: dict[str, Any] = {"planned": state.get("turn", 1), "messages": []}
    try:
        written = await ask_aside(
            agent,
            [*to_context_messages(state.get("context_message", "")), *messages],
            HumanMessage(INSTRUCTION, additional_kwargs={"synthetic": True}),
            build_request_options(state, role),
            TOKENS,
            runtime,
        )
    except ModelCallError as error:
        emit(runtime, Notice(text(NOT_PLANNED, reason=error.message)))
        return update
    request_usage = count_usage(written.message, written.seconds, agent.deps)
    update["usage"] = add_usage(state.get("usage", NOTHING_USED), request_usage)
    emit_usage(runtime, written.message, update["usage"], request_usage, agent.deps)
    if todos := parse_steps(str(written.message.text)):
        emit(runtime, Todos([*todos]))
        note = AS_TODOS.format(todos=render_todos(todos))
        update |= {"todos": todos, "messages": [build_note(role, note)]}
    return update


def parse_steps(answer: str) -> list[Todo]:
    """Return the lines of the answer that are items of a list, as tasks."""
    lines = [line for line in answer.splitlines() if _STEP.match(line)][:MAX_STEPS]
    items = parse_items("\n".join(line[:MAX_STEP_LENGTH] for line in lines))
    for item in items:
        item["status"] = "pending"
    return add_todos([item for item in items if item.get("content", "").strip()])
