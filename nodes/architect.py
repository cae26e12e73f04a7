"""The architect: reads the project, plans, and writes a brief for the coder, with its steps as the
todo list.
"""

import re
from collections.abc import Iterator
from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..tools.todo_list import Item, Todo, add_todos, find_open_todos
from .events.progress import Plan, Todos
from .run.context import Context
from .run.emit import emit
from .run.message_history import build_role_message
from .state import State
from .turn.model_turn import run_model_turn
from .turn.new_request import build_job_update
from .turn.step_list import MAX_STEP_LENGTH, MAX_STEPS

WITH_PLAN = "{request}\n\nThe architect's plan:\n\n{plan}"
AS_TODOS = (
    "\n\nThe plan's steps are your todo list, under the same numbers. Mark each with todowrite "
    "when you begin it and when it is done."
)
# Characters of a step's details
MAX_DETAILS_LENGTH = 600
_NUMBERED = re.compile(r" {0,3}(?P<number>\d+)[.)]\s+(?P<content>\S.*)")
_CODE = re.compile(r"`([^`\s]+)`")
_LINE_OF_A_FILE = re.compile(r":\d+(?:-\d+)?$")
_PATH = re.compile(r"[\w.@~+-]+(?:/[\w.@~+-]+)+|[\w-]+\.[a-zA-Z]\w{0,9}")


async def run_architect(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["architect", "approve", "compact", "coder", "review"]]:
    """Run one model turn; when the plan is complete, brief the coder."""
    if state.get("outcome"):
        return Command(
            goto="architect", update=build_job_update(state, "architect", state["request"])
        )
    turn = await run_model_turn(state, runtime, "architect", handoff=state["request"])
    if turn.is_stopped:
        return Command(goto="review", update=turn.update)
    if turn.is_steered:
        return Command(goto="architect", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    plan = extract_plan(turn.final_text)
    if plan:
        emit(runtime, Plan(plan))
    request = state["request"]
    text = (
        WITH_PLAN.format(request=request, plan=plan)
        if plan
        else _build_small_request(request, turn.final_text)
    )
    update = dict(turn.update)
    if plan and (todos := _read_todos(plan, state)):
        emit(runtime, Todos([*todos]))
        update["todos"] = todos
        text += AS_TODOS
    update["messages"] = [*turn.update.get("messages", []), build_role_message("coder", text)]
    return Command(goto="coder", update=update)


def _read_todos(plan: str, state: State) -> list[Todo]:
    """Return the plan's steps as todos, unless the architect has written a list itself."""
    return [] if find_open_todos(state.get("todos", [])) else parse_plan_steps(plan)


def extract_plan(words: str) -> str:
    """Return the plan; empty if the first line says that the task is small."""
    return "" if _extract_first_word(words) == "SMALL" else words.strip()


def _build_small_request(request: str, words: str) -> str:
    where = words.strip().lstrip("*#` ")[len("SMALL") :].strip("*#`:., \n")
    return f"{request}\n\n(The architect: {where})" if where else request


def _extract_first_word(words: str) -> str:
    return next(iter(words.strip().lstrip("*#` ").split()), "").strip("*#`:.,")


def parse_plan_steps(plan: str) -> list[Todo]:
    """Return the plan's first numbered list as tasks; empty if it has fewer than two steps.

    What is below a step becomes its details, the first file that it names its `file_path`.
    """
    steps = list(_iter_steps(plan))
    if not 2 <= len(steps) <= MAX_STEPS:
        return []
    return add_todos([_build_item(first, below) for first, below in steps])


def _iter_steps(plan: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the first line of each step, and the lines below it."""
    content, below = "", list[str]()
    for line in plan.splitlines():
        numbered = _NUMBERED.fullmatch(line)
        if numbered and content and int(numbered["number"]) <= 1:
            break  # another list
        if numbered:
            if content:
                yield content, below
            content, below = numbered["content"], []
        elif content and line.strip():
            if line[0] not in " \t-*":
                break  # a paragraph or a heading after the list
            below.append(line.strip())
    if content:
        yield content, below


def _build_item(first: str, below: list[str]) -> Item:
    content = first.replace("**", "").strip()
    rest = content[MAX_STEP_LENGTH:]
    details = "\n".join(filter(None, [rest, *below]))[:MAX_DETAILS_LENGTH]
    item = Item(content=content[:MAX_STEP_LENGTH], status="pending", details=details)
    if path := _find_path("\n".join([content, *below])):
        item["file_path"] = path
    return item


def _find_path(words: str) -> str:
    """Return the first file that stands as code; empty if there is none."""
    named = (_LINE_OF_A_FILE.sub("", code) for code in _CODE.findall(words))
    return next((name for name in named if _PATH.fullmatch(name)), "")
