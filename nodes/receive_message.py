"""The human says something: it becomes a message, and what was left undone before is settled."""

import asyncio
from datetime import datetime
from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .agent.agent import voice_of
from .agent.cancelled_calls import left_calls
from .agent.dependencies import thread_id
from .agent.emit import tell, tell_mode
from .agent.file_mentions import mentioned_files
from .agent.message_history import brief, newest_first
from .agent.modes import as_told, aside, mode_of, notes, settled, told_before
from .agent.partial_answer import told_cut_short
from .context import Context
from .enforce_schema import schema_note
from .state import State, changes


async def listen(state: State, runtime: Runtime[Context]) -> Command[Literal["compact"]]:
    """Take the human's words in; a new turn begins."""
    before = told_before(state)
    options = settled(state.get("options", {}), state["request"], datetime.now())
    role = mode_of(options)
    bench = (await voice_of(role, state["folder"], options, runtime.context)).bench
    heard, thread = newest_first(state, role), thread_id(runtime)
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
    update: dict[str, object] = {
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
    }
    return Command(goto="compact", update=changes(state, update))
