"""One model turn of a role: stop at a limit, ask, retry what can be retried, count."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from ...models.catalog import cost
from ...models.errors import ModelFailure
from ...models.invoke import ask, is_cut
from ...models.retry import delay
from ..context import Context
from ..state import RoleName, State, Usage, changes
from .agent import Voice, voice_of
from .answer_autosave import autosave_answer
from .dependencies import Workbench
from .emit import tell
from .limits import NOTHING_USED, granted
from .message_history import brief, conversation, final_words
from .nested_instructions import nested_instructions, passed_over_in
from .snapshot_recorder import last_entry
from .stale_files import moved_files

CUT = "Your answer was cut at its token limit and does not count. Give it again, whole and shorter."


@dataclass(frozen=True)
class Turn:
    """What a turn changes in the state, and the role's last words when it has finished."""

    update: dict[str, Any]
    words: str | None


async def take_turn(
    state: State, runtime: Runtime[Context], role: RoleName, opening: str = ""
) -> Turn:
    """Let the role speak once, unless it has finished; `opening` is its brief if it has none yet.

    Raises the provider's error when retries are used up; the thread can be resumed then.
    """
    words = final_words(state, role)
    if words is not None:
        return Turn({}, words)
    options = state.get("options", {})
    voice = await voice_of(role, state["folder"], options, runtime.context)
    bench = voice.bench
    allowed = granted(state, runtime, bench)
    if state.get("role") != role:
        tell(runtime, "role", role=role)
    heard = conversation(state, role)
    moved = await moved_files(state, runtime, bench, role)
    nested = await asyncio.to_thread(nested_instructions, heard, bench, role)
    for notice in passed_over_in(nested):
        tell(runtime, "notice", text=notice)
    told = [*moved, *nested] if heard else [brief(role, opening)]
    step = state.get("steps", 0) + 1
    answer = _signed(await _answer(voice, [*heard, *told], runtime), role, step)
    taken = _taken(answer, bench)
    used = _added(state.get("usage", NOTHING_USED), taken)
    _tell_answer(runtime, answer, role, used, taken, bench)
    finished = not (answer.tool_calls or answer.invalid_tool_calls)
    again = [_again(heard, role, bench)] if finished and is_cut(answer) else []
    update = {
        "messages": [*told, answer, *again],
        "role": role,
        "steps": step,
        "usage": used,
        **allowed,
        # the human may have put files back since the last call
        "file_entry": await last_entry(bench, runtime),
    }
    return Turn(changes(state, update), str(answer.text) if finished and not again else None)


def _again(heard: list[AnyMessage], role: RoleName, bench: Workbench) -> HumanMessage:
    """Ask once more for an answer that was cut: half a verdict must not pass for a whole one."""
    if heard and heard[-1].text == CUT:
        raise ModelFailure(
            f"`{bench.model.name}` was cut at its token limit twice",
            hint="Raise `max_tokens` of this model in the configuration",
        )
    return brief(role, CUT)


async def _answer(
    voice: Voice, messages: list[BaseMessage], runtime: Runtime[Context]
) -> AIMessage:
    attempt = 0
    while True:
        try:
            async with autosave_answer(voice.bench, runtime) as keep:
                return await ask(
                    voice.model,
                    [voice.system, *messages],
                    on_text=lambda text: _tell_text(runtime, text, keep),
                    on_thinking=lambda text: tell(runtime, "thinking", text=text),
                )
        except ModelFailure as error:
            attempt += 1
            seconds = delay(attempt, error, random=random.random)
            if seconds is None or attempt > voice.bench.settings.model.max_retries:
                raise
            tell(runtime, "retry", reason=error.message, seconds=seconds, attempt=attempt)
        await asyncio.sleep(seconds)


def _tell_text(runtime: Runtime[Context], text: str, keep: Callable[[str], None]) -> None:
    tell(runtime, "output", text=text)
    keep(text)


def _signed(answer: AIMessage, role: RoleName, step: int) -> AIMessage:
    """Mark whose answer it is and which; give each call an id of its own: the journal needs it.

    Providers send empty and repeated ids, and a rewound thread must not meet its old ones again.
    """
    answer.id = f"answer-{uuid4().hex}"
    answer.additional_kwargs |= {"role": role, "step": step}
    for call in (*answer.tool_calls, *answer.invalid_tool_calls):
        call["id"] = f"call_{uuid4().hex[:16]}"
    return answer


def _taken(answer: AIMessage, bench: Workbench) -> Usage:
    """What one request took; nothing where the provider does not say."""
    usage = answer.usage_metadata
    if usage is None:
        return {**NOTHING_USED, "requests": 1}
    return Usage(
        requests=1,
        input=usage["input_tokens"],
        output=usage["output_tokens"],
        cached=usage.get("input_token_details", {}).get("cache_read", 0),
        cost=cost(bench.model.name, usage),
    )


def _added(before: Usage, taken: Usage) -> Usage:
    known = before["cost"] is not None and taken["cost"] is not None
    return Usage(
        requests=before["requests"] + taken["requests"],
        input=before["input"] + taken["input"],
        output=before["output"] + taken["output"],
        cached=before["cached"] + taken["cached"],
        cost=(before["cost"] or 0.0) + (taken["cost"] or 0.0) if known else None,
    )


def _tell_answer(
    runtime: Runtime[Context],
    answer: AIMessage,
    role: RoleName,
    used: Usage,
    taken: Usage,
    bench: Workbench,
) -> None:
    window = answer.usage_metadata["input_tokens"] if answer.usage_metadata else 0
    tell(
        runtime,
        "token_usage",
        **used,
        window=window,
        context_length=bench.model.context_length,
        request={name: taken[name] for name in ("input", "output", "cached", "cost")},
    )
    for call in answer.tool_calls:
        tell(runtime, "tool_call", id=call["id"], tool=call["name"], args=call["args"], role=role)
    for call in answer.invalid_tool_calls:
        tell(runtime, "tool_call", id=call["id"], tool=call["name"] or "?", args={}, role=role)
