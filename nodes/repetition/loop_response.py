"""What happens to a model in a loop: a warning, then a return to before the loop, then the end."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...tools.tool_table import select_names
from ..conversation.cut import Cut, get_conversation
from ..conversation.user_requests import is_request
from ..events.context import CacheReset
from ..events.progress import Notice
from ..roles import RoleName
from ..run.context import Context
from ..run.emit import emit
from ..run.message_history import HIDES, LOOP, TREE, iter_newest_first
from ..state import State
from .repeated_calls import UNCHANGED_SINCE, describe_call

# The level of `Loop` from which on the run ends
STOPPED = 3
IN_A_LOOP = "The model repeats itself: {calls}; it is asked to try something else"
SET_BACK = "The model still repeats itself: {calls}; it continues from before the repetition"
ENDED = "Stopped: the model kept repeating itself and got no further: {calls}"
WARNING = """These calls brought nothing new; the same was called up to {count} times:

{calls}

To repeat them will not help. Work with what you already know, or try something else: read the \
message of a failed call closely, look at another file, take other arguments or another tool. If \
you are done, say so; if something keeps you from finishing, say what."""
NEW_START = """You went in circles, so you are back at the point before. These calls were made \
again and again, and brought nothing new:

{calls}

Do not make these calls again. Take another way; if there is none, answer without a tool call and \
say what keeps you from finishing."""
GIVEN_UP = (
    "The run was stopped here, since these calls were repeated without anything new:\n\n{calls}"
)
# Messages of a role that are looked at
WINDOW = 80
SAME_CALLS = 3
# Steps in a row that bring nothing new, whatever calls they make
STALE_STEPS = 6
# Different lists of what is to do that weigh as much as one such step
NEW_LISTS = 2
# Steps with something new after which an earlier loop is forgotten
FRESH_STEPS = 4
LISTS = select_names(lambda entry: entry.is_list)
_WAITING = re.compile(r"\b(sleep|wait|watch|tail\s+-\w*f)\b")
# What differs from run to run of the same command on the same files
_VARIABLE = re.compile(r"call_[0-9a-f]{16}|\b0x[0-9a-f]{6,}|\b\d+\.\d+ ?m?s(ec(onds?)?)?\b")


@dataclass(frozen=True)
class LoopResponse:
    """What the next request of a role is to contain, or to leave out, because of a loop."""

    notes: tuple[HumanMessage, ...] = ()
    hidden: frozenset[str] = frozenset()
    """IDs of the messages that it leaves out."""
    is_stopped: bool = False
    """Whether there is no next request."""

    def select_messages(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """Return the messages of a conversation that are sent nevertheless."""
        if not self.hidden:
            return messages
        return [message for message in messages if message.id not in self.hidden]


def respond_to_loop(state: State, runtime: Runtime[Context], role: RoleName) -> LoopResponse:
    """Return what to do if the role is in a loop; emit a notice about it."""
    if not any(isinstance(message, ToolMessage) for message in state.get("messages", [])):
        return LoopResponse()  # a first request imports no detection
    cut = state.get("cuts", {}).get(get_conversation(role))
    loop = find_loop(iter_newest_first(state, role), state.get("tree", ""), cut)
    if loop is None:
        return LoopResponse()
    words = {1: IN_A_LOOP, 2: SET_BACK}.get(loop.level, ENDED)
    named = ", ".join(f"`{call}`" for call in loop.calls)
    emit(runtime, Notice(text(words, calls=named)))
    if loop.level >= STOPPED:
        return LoopResponse((_build_note(role, GIVEN_UP, loop),), is_stopped=True)
    if loop.level == 1 or not loop.hidden:
        return LoopResponse((_build_note(role, WARNING, loop),))
    note = _build_note(role, NEW_START, loop)
    note.additional_kwargs[HIDES] = list(loop.hidden)
    emit(runtime, CacheReset("loop"))
    return LoopResponse((note,), frozenset(loop.hidden))


def is_stopped(state: State) -> bool:
    """Return whether the thread's last run ended because of a loop."""
    last_message = next(reversed(state.get("messages", [])), None)
    return bool(last_message and last_message.additional_kwargs.get(LOOP, 0) >= STOPPED)


def _build_note(role: RoleName, words: str, loop: "Loop") -> HumanMessage:
    calls = "\n".join(f"- `{call}`" for call in loop.calls)
    return HumanMessage(
        words.format(calls=calls, count=loop.count),
        id=f"brief-{uuid4().hex}",
        additional_kwargs={"role": role, "synthetic": True, LOOP: loop.level},
    )


@dataclass(frozen=True)
class Loop:
    """A loop that the model is in."""

    level: int
    """How often it has been found, with this time: 1 or more."""
    calls: tuple[str, ...]
    """The calls, as text."""
    count: int
    """How often the last of them was made."""
    hidden: tuple[str, ...]
    """IDs of the messages since the first repetition."""


@dataclass(frozen=True)
class _Call:
    """One call and its result."""

    name: str
    args: dict[str, Any] | str | None
    """Text: they are not valid JSON."""
    tree: str
    result: ToolMessage | None
    """None: it has none yet, or the model does not see it any more."""

    def is_same(self, other: "_Call") -> bool:
        """Return whether both are the same call on the same files, with the same result."""
        if (self.name, self.args, self.tree) != (other.name, other.args, other.tree):
            return False
        mine, others = self.result, other.result
        if mine is None or others is None or mine.status != others.status:
            return False
        return mine.text == others.text or (
            _VARIABLE.sub("", mine.text) == _VARIABLE.sub("", others.text)
        )

    @property
    def is_waiting(self) -> bool:
        """Whether it is a command that waits for something on purpose."""
        command = self.args.get("command", "") if isinstance(self.args, dict) else ""
        return bool(_WAITING.search(str(command)))


@dataclass(frozen=True)
class _Step:
    start: int
    """Place of its answer among the messages."""
    calls: Sequence[_Call]
    earlier: Sequence[_Call]
    """The calls of all steps before it."""

    @property
    def is_note(self) -> bool:
        """Whether it only wrote down what is to do."""
        return all(call.name in LISTS for call in self.calls)

    @property
    def is_repeated(self) -> bool:
        """Whether each of its calls was made before, with the same result."""
        return not any(call.is_waiting for call in self.calls) and all(
            any(call.is_same(earlier) for earlier in self.earlier) for call in self.calls
        )

    @property
    def is_stale(self) -> bool:
        """Whether it has brought nothing new."""
        return self.is_note or self.is_repeated


def find_loop(newest_first: Iterable[AnyMessage], tree: str, cut: Cut | None) -> Loop | None:
    """Return the loop that the role's newest step is part of, if any (pure).

    `newest_first` are the messages of its role, `tree` is the current snapshot of the files, `cut`
    what the model is no longer sent: a call whose answer it does not see may be made again, but not
    twice as often as others.
    """
    messages = _select_tail(newest_first)
    if not messages or not isinstance(messages[-1], ToolMessage):
        return None
    every = _collect_steps(messages)
    if not every or not every[-1].is_stale:
        return None
    seen = _collect_steps(messages, cut) if cut else every
    notes = [place for place, note in enumerate(messages) if LOOP in note.additional_kwargs]
    since = notes[-1] if notes else -1
    run = _find_run(seen, since) or (_find_run(every, since, factor=2) if cut else [])
    if not run:
        return None
    calls = dict.fromkeys(_describe(call) for step in run for call in step.calls)
    count = max(_count_same(every, call) for call in every[-1].calls)
    level = 1 + _count_notes(every, notes)
    return Loop(level, tuple(calls)[:SAME_CALLS], count, _find_hidden(messages, seen, tree))


def _find_run(steps: Sequence[_Step], since: int, factor: int = 1) -> Sequence[_Step]:
    """Return the last steps that brought nothing new, newest first; none if they are too few."""
    run = list(takewhile(lambda step: step.is_stale and step.start > since, reversed(steps)))
    repeated = sum(step.is_repeated for step in run)
    if not run or repeated + (len(run) - repeated) // NEW_LISTS >= factor * STALE_STEPS:
        return run
    same = factor * SAME_CALLS
    count = max(_count_same(steps, call) for call in run[0].calls)
    return run if run[0].is_repeated and len(run) >= same - 1 and count >= same else []


def _select_tail(newest_first: Iterable[AnyMessage]) -> list[AnyMessage]:
    """Return the messages since the last one of the user or of another role, in order."""
    recent = islice(newest_first, WINDOW)
    return list(takewhile(lambda message: not is_request(message), recent))[::-1]


def _collect_steps(messages: Sequence[AnyMessage], cut: Cut | None = None) -> list[_Step]:
    """Return the steps, without what the cut hides."""
    upto, pruned = (cut["upto"], cut["pruned"]) if cut else ("", ())
    first = next((place for place, each in enumerate(messages) if upto and each.id == upto), -1)
    results = {
        message.tool_call_id: message
        for message in messages
        if isinstance(message, ToolMessage) and message.id not in pruned
    }
    steps, earlier = list[_Step](), list[_Call]()
    for place, message in enumerate(messages):
        if place <= first or not isinstance(message, AIMessage):
            continue
        tree, calls = message.additional_kwargs.get(TREE, ""), list[_Call]()
        for made in (*message.tool_calls, *message.invalid_tool_calls):
            result = results.get(made["id"] or "")
            name = (result and result.name) or made["name"] or ""
            calls.append(_Call(name, made["args"], tree, _resolve_reference(result, results)))
        if calls:
            steps.append(_Step(place, calls, tuple(earlier)))
            earlier += calls
    return steps


def _resolve_reference(
    result: ToolMessage | None, results: Mapping[str, ToolMessage]
) -> ToolMessage | None:
    """Return the result that an answer of one line refers to."""
    referred = result.additional_kwargs.get(UNCHANGED_SINCE) if result else None
    return results.get(referred, result) if referred else result


def _count_same(steps: Sequence[_Step], call: _Call) -> int:
    return sum(any(call.is_same(other) for other in step.calls) for step in steps)


def _count_notes(steps: Sequence[_Step], notes: Sequence[int]) -> int:
    """Count the notes about loops, back to where the model had made progress."""
    if not notes:
        return 0
    fresh = [step.start for step in reversed(steps) if not step.is_stale]
    since = fresh[FRESH_STEPS - 1] if len(fresh) >= FRESH_STEPS else -1
    return sum(place > since for place in notes)


def _find_hidden(
    messages: Sequence[AnyMessage], steps: Sequence[_Step], tree: str
) -> tuple[str, ...]:
    """Return the messages since the first repetition that began with the files as they are now."""
    repeated = takewhile(lambda step: step.is_repeated, reversed(steps))
    starts = [step.start for step in repeated if all(call.tree == tree for call in step.calls)]
    return tuple(message.id or "" for message in messages[min(starts, default=len(messages)) :])


def _describe(call: _Call) -> str:
    return describe_call(call.name, call.args if isinstance(call.args, dict) else {})
