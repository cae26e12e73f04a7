"""The editor: changes only the files that the user named; no tests run."""

import asyncio
import os
from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.errors import UsageError
from .run.context import Context
from .state import State
from .turn.model_turn import run_model_turn
from .turn.new_request import build_job_update

OPENING = "{request}\n\nThe files that you may change: {files}"
NEW = " (there is none yet)"


async def run_editor(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["editor", "approve", "compact", "__end__"]]:
    """Run one model turn; an answer without tool calls ends the job."""
    opening = await asyncio.to_thread(format_request, state)
    if state.get("outcome"):
        return Command(goto="editor", update=build_job_update(state, "editor", opening))
    turn = await run_model_turn(state, runtime, "editor", handoff=opening)
    if turn.is_stopped:
        return Command(goto="__end__", update={**turn.update, "outcome": "failed"})
    if turn.is_steered:
        return Command(goto="editor", update=turn.update)
    if turn.final_text is None:
        return Command(goto=turn.goto, update=turn.update)
    # a turn's end; most turns call tools
    from .hooks.turn_hooks import continue_turn
    from .turn.todo_notes import ask_for_open_todos

    if update := ask_for_open_todos(state, runtime, "editor", turn.update, turn.final_text):
        return Command(goto="editor", update=update)
    if update := await continue_turn(state, runtime, "editor", turn.update, turn.final_text):
        return Command(goto="editor", update=update)
    end = {**turn.update, "summary": turn.final_text, "outcome": "unverified"}
    return Command(goto="__end__", update=end)


def format_request(state: State) -> str:
    """Return the editor's first message; raises UsageError if no file is named."""
    files = state.get("options", {}).get("files")
    if not files:
        raise UsageError("no file given", hint="list the files to change in `options.files`")
    named = [
        f"`{file}`" + ("" if os.path.lexists(os.path.join(state["folder"], file)) else NEW)
        for file in files
    ]
    return OPENING.format(request=state["request"], files=", ".join(named))
