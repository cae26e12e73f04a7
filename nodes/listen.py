"""The human says something: it becomes a message, and what was left undone before is settled."""

import asyncio
from datetime import datetime
from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .context import Context
from .conversation import brief, conversation
from .fit_schema import schema_note
from .half_answer import told_cut_short
from .left_calls import left_calls
from .mentions import mentioned_files
from .modes import as_told, aside, mode_of, notes, settled, told_before
from .state import State
from .tell import tell, tell_mode
from .voice import voice_of
from .workbench import thread_id


async def listen(state: State, runtime: Runtime[Context]) -> Command[Literal["compact"]]:
    """Take the human's words in; a new turn begins."""
    before = told_before(state)
    options = settled(state.get("options", {}), state["request"], datetime.now())
    role = mode_of(options)
    bench = (await voice_of(role, state["folder"], options, runtime.context)).bench
    heard, thread = conversation(state, role), thread_id(runtime)
    left = await asyncio.to_thread(left_calls, heard, role, bench.journal, thread)
    words = brief(role, state["request"])
    typed = options.pop("mentioning", state["request"])
    mentioned = await mentioned_files(typed, role, bench)
    told = notes(options, before, role)
    beside = [aside(role, text) for text in options.pop("aside", ())]
    said = [*left, *told_cut_short(state, role)]
    if told:
        tell_mode(runtime, options)
    if mentioned.shown or mentioned.left_out:
        tell(runtime, "mentioned", shown=mentioned.shown, left_out=mentioned.left_out)
    return Command(
        goto="compact",
        update={
            "messages": [*said, *told, *schema_note(options), *beside, *mentioned.notes, words],
            "role": role,
            "told": as_told(options),
            "options": options,
            "steps_allowed": 0,
            "cost_allowed": 0.0,
            "turn": state.get("turn", 0) + 1,
            "since": state.get("file_entry", 0),
            "queue": [],
            "asked": [],
            "draft": {},
            "summary": "",
            "completion": "",
            "rounds": 0,
            "outcome": None,
        },
    )
