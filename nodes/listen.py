"""The human says something: it becomes a message, and what was left undone before is settled."""

import asyncio
from datetime import datetime
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from ..memory.journal import Finished, Unfinished
from ..tools.invoke import for_model
from ..tools.result import ToolResult
from .context import Context
from .conversation import answer_to, brief, conversation
from .fit_schema import schema_note
from .half_answer import told_half
from .mentions import mentioned_files
from .modes import as_told, aside, mode_of, notes, settled, told_before
from .state import RoleName, State
from .tell import tell, tell_mode
from .voice import voice_of
from .workbench import Workbench, thread_id

ABANDONED = "The user did not wait for this call and said something else. It was not run."
HALF_RUN = (
    "The user did not wait for this call. It had been started at {started}, so it may have done "
    "all, some or nothing: look before you repeat it."
)


async def listen(state: State, runtime: Runtime[Context]) -> Command[Literal["compact"]]:
    """Take the human's words in; a new turn begins."""
    before = told_before(state)
    options = settled(state.get("options", {}), state["request"], datetime.now())
    role = mode_of(options)
    bench = (await voice_of(role, state["folder"], options, runtime.context)).bench
    left = await asyncio.to_thread(_left_calls, state, role, bench, thread_id(runtime))
    words = brief(role, state["request"])
    typed = options.pop("mentioning", state["request"])
    mentioned = await mentioned_files(typed, role, bench)
    told = notes(options, before, role)
    beside = [aside(role, text) for text in options.pop("aside", ())]
    said = [*left, *told_half(state, role)]
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


def _left_calls(state: State, role: RoleName, bench: Workbench, thread: str) -> list[ToolMessage]:
    """An answer to each call that has none: providers refuse a conversation that lacks one."""
    left: list[ToolMessage] = []
    answered = set[str]()
    for message in reversed(conversation(state, role)):
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
        if isinstance(message, AIMessage):
            calls: list[Any] = [*message.tool_calls, *message.invalid_tool_calls]
            open_calls = [call for call in calls if call["id"] not in answered]
            left = [_abandoned(call, role, bench, thread) for call in open_calls]
            break
    return left


def _abandoned(call: Any, role: RoleName, bench: Workbench, thread: str) -> ToolMessage:
    known = bench.journal.known(thread, call["id"])
    name = call["name"] or "unknown"
    if isinstance(known, Finished):
        result = ToolResult(**known.result)
        return answer_to(call["id"], name, role, for_model(result), ok=result.ok, seen=result.seen)
    text = HALF_RUN.format(started=known.started_at) if isinstance(known, Unfinished) else ABANDONED
    return answer_to(call["id"], name, role, text, ok=False)
