"""Where a conversation may be cut, so that what is left is a history that providers accept."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ...models.content_blocks import list_content_parts
from ...models.replay import OUTPUT_PARTS, REASONING_FIELDS
from .budget import Room
from .cut import Cut
from .stubs import build_stubs
from .token_estimate import estimate_message
from .user_requests import (
    EXCERPT,
    ends_turn,
    find_newest_request,
    is_request,
    is_too_long,
    select_kept_requests,
)
from .view import find_tail

# Marks in which an answer has its thinking
_THINKING = ("reasoning_content", *REASONING_FIELDS)
_THINKING_PARTS = ("thinking", "redacted_thinking", "reasoning")


@dataclass(frozen=True)
class PlannedCut:
    """A cut without its summary."""

    upto: str
    """ID of the last message to hide; as before where only `references` are new."""
    kept: tuple[str, ...]
    """The user's own messages to send nevertheless, in order."""
    request: str
    """The user's newest message, if it is hidden; empty: it stays where it is."""
    references: tuple[str, ...]
    """Messages of the user too long to be sent: the caller stores each as an output."""
    pruned: tuple[str, ...]
    """Messages of the tail to send as stubs."""
    hidden: tuple[AnyMessage, ...]
    """What this cut hides and the one before did not: the text to summarize, after the earlier
    summary. Empty: the earlier summary stays as it is."""


def find_boundaries(messages: Sequence[AnyMessage]) -> list[int]:
    """Return the indices from which the rest of the messages is a legal history, in order.

    The rest begins with a message of the user or an answer, no call is open before it, and a tool
    loop with thinking begins with thinking. The end is one of them unless calls are open.
    """
    legal, waiting = list[int](), set[str]()
    resumes = _find_thinking_resumption(messages)
    for at, message in enumerate(messages):
        if not waiting and not isinstance(message, ToolMessage) and resumes[at]:
            legal.append(at)
        if isinstance(message, AIMessage):
            calls = (*message.tool_calls, *message.invalid_tool_calls)
            waiting |= {str(call["id"]) for call in calls}
        elif isinstance(message, ToolMessage):
            waiting.discard(message.tool_call_id)
    return legal if waiting else [*legal, len(messages)]


def choose_cut(
    messages: Sequence[AnyMessage], cut: Cut | None, room: Room, scale: float = 1.0
) -> PlannedCut | None:
    """Return the next cut of a whole conversation; None if there is nothing more to hide.

    The tail is at most `room.tail` tokens. The results that the model has not answered stay as long
    as they fit `room.results`; the largest of them become stubs if they do not.
    """
    before = find_tail(messages, cut) or 0
    stubs = build_stubs(messages[before:], {*(cut["pruned"] if cut else ())})
    tail = [stubs.get(str(message.id), message) for message in messages[before:]]
    most = round(room.requests / scale)
    long = {
        str(message.id) for message in tail if is_request(message) and is_too_long(message, most)
    }
    start, shortened = _choose_start(tail, long, room, scale)
    hidden, kept_tail = messages[before : before + start], tail[start:]
    requests = select_kept_requests(messages[: before + start], room, scale)
    newest = find_newest_request(kept_tail)
    long &= {str(message.id) for message in kept_tail}
    earlier_references = cut["references"] if cut else {}
    if not hidden and not shortened and long <= earlier_references.keys():
        return None
    return PlannedCut(
        upto=str(hidden[-1].id) if hidden else (cut["upto"] if cut else ""),
        kept=requests.kept if newest else requests.kept[:-1],
        request="" if newest else "".join(requests.kept[-1:]),
        references=(*requests.too_long, *sorted(long)),
        pruned=tuple(str(m.id) for m in kept_tail if m.id in stubs or m.id in shortened),
        hidden=tuple(hidden),
    )


def _choose_start(
    tail: Sequence[AnyMessage], long: Set[str], room: Room, scale: float
) -> tuple[int, frozenset[str]]:
    """Return where the tail of the next view begins, and what of it becomes a stub besides.

    Of the `long` messages only the ends are sent.
    """
    boundaries = find_boundaries(tail)
    if not boundaries:
        return 0, frozenset()
    # tokens from each message to the end
    sizes = [0]
    for message in reversed(tail):
        size = EXCERPT if message.id in long else estimate_message(message)
        sizes.append(sizes[-1] + size)
    sizes.reverse()
    start = next(at for at in (*boundaries, len(tail)) if sizes[at] * scale <= room.tail)
    batch = _find_unanswered(tail)
    boundary = max((at for at in boundaries if at <= batch), default=None)
    if start <= batch or boundary is None:
        return start, frozenset()
    shortened = _shorten_batch(tail[batch:], round(sizes[boundary] - room.results / scale))
    return (start, frozenset()) if shortened is None else (boundary, shortened)


def _find_unanswered(tail: Sequence[AnyMessage]) -> int:
    """Return the index of the last answer, if results of its calls follow; else the length."""
    for at in range(len(tail) - 1, -1, -1):
        if isinstance(tail[at], AIMessage):
            return len(tail) if ends_turn(tail[at]) else at
    return len(tail)


def _shorten_batch(batch: Sequence[AnyMessage], excess: int) -> frozenset[str] | None:
    """Return the largest results to send as stubs, to free so much; None if that is not enough."""
    results = sorted(
        (message for message in batch if isinstance(message, ToolMessage)), key=estimate_message
    )
    shortened = set[str]()
    while excess > 0 and results:
        largest = results.pop()
        stub = build_stubs(batch, {str(largest.id)}).get(str(largest.id), largest)
        excess -= estimate_message(largest) - estimate_message(stub)
        shortened.add(str(largest.id))
    return None if excess > 0 else frozenset(shortened)


def _find_thinking_resumption(messages: Sequence[AnyMessage]) -> list[bool]:
    """Return for each message whether its tool loop can begin there.

    An answer without thinking cannot, where answers before it in the loop have some: providers that
    check thinking refuse a loop whose first answer has none.
    """
    allowed, thinks, can_begin = list[bool](), list[bool](), True
    thought = False
    for message in messages:
        thinks.append(thought)
        if isinstance(message, AIMessage):
            thought = not ends_turn(message) and (thought or has_thinking(message))
    # a message before an answer can begin the loop if that answer can
    for message, before in zip(reversed(messages), reversed(thinks), strict=True):
        if isinstance(message, AIMessage):
            can_begin = has_thinking(message) or not before
        allowed.append(can_begin)
    return allowed[::-1]


def has_thinking(message: AIMessage) -> bool:
    """Return whether the answer has thinking, in text or as parts."""
    marks = message.additional_kwargs
    if any(marks.get(name) for name in _THINKING):
        return True
    stored = cast("Mapping[str, Any]", marks.get(OUTPUT_PARTS) or {})
    content = list_content_parts(message.content)
    return any(part.get("type") in _THINKING_PARTS for part in (*stored.get("parts", ()), *content))
