"""Which results and arguments of a view become stubs, and whether that pays."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ...models.replay import OUTPUT_PARTS, REASONING_FIELDS
from ...tools.tool_table import select_names
from ..tool_task import UNCHANGED_SINCE
from .boundaries import choose_cut
from .budget import Room
from .cut import Cut
from .stubs import build_stubs
from .token_estimate import estimate_message, estimate_tokens
from .user_requests import ends_turn
from .view import build_view, find_tail

# Results that are decisions or words of the user, or state; and what stays short by itself
NEVER_PRUNED = select_names(lambda entry: entry.is_kept)
# Calls whose arguments are a file's content
WRITING = select_names(lambda entry: entry.effect == "edit")
# Estimated tokens that a stub must free: its line is not free either
MIN_FREED_TOKENS = 100
# Cost of a token from the provider's cache; one that is not from there costs 1
CACHED = 0.1
# Both costs are guesses about turns to come
MARGIN = 0.9
_SIGNED = (OUTPUT_PARTS, *REASONING_FIELDS)


@dataclass(frozen=True)
class PlannedPruning:
    """Messages to send as stubs from now on."""

    pruned: tuple[str, ...]
    """All of them, with those of the earlier cut."""
    freed: int
    """Tokens that the new ones free."""


def choose_pruned(
    messages: Sequence[AnyMessage],
    cut: Cut | None,
    room: Room,
    used: int,
    limit: int,
    scale: float = 1.0,
) -> PlannedPruning | None:
    """Return what to prune of a whole conversation; None where a summary is the better way.

    It pays if it frees `room.freed` tokens, brings the request from `used` under `limit` tokens,
    and costs no more than summaries would.
    """
    start = find_tail(messages, cut) or 0
    tail, already_pruned = messages[start:], {*(cut["pruned"] if cut else ())}
    new = {*_find_stale(tail), *_find_old(tail, round(room.results / scale))} - already_pruned
    stubs = build_stubs(tail, new)
    savings = {
        name: saved
        for message in tail
        if (name := str(message.id)) in stubs
        and (saved := estimate_message(message) - estimate_message(stubs[name])) >= MIN_FREED_TOKENS
    }
    freed = round(sum(savings.values()) * scale)
    if freed < room.freed or used - freed >= limit:
        return None
    view = build_view(messages, cut)
    fixed = max(used - round(estimate_tokens(view) * scale), 0)
    after_summary = fixed + _estimate_after_summary(messages, cut, room, scale)
    rewritten = _estimate_from(view, {*savings}, scale) - freed
    growth = (used - fixed) / max(sum(isinstance(message, AIMessage) for message in view), 1)
    pruning = _compute_cost(used - freed, limit, growth, price=rewritten)
    price = CACHED * used / (1 - CACHED) + room.summary + after_summary - fixed
    if pruning > MARGIN * _compute_cost(after_summary, limit, growth, price=price):
        return None
    pruned = (str(message.id) for message in tail)
    return PlannedPruning(
        tuple(name for name in pruned if name in already_pruned | {*savings}), freed
    )


def _compute_cost(size: int, limit: int, growth: float, *, price: float) -> float:
    """Return what a model turn costs if the request is made this small again and again.

    `price` are the uncached tokens of each time; it lasts until the request has grown to the limit,
    and the turns until then pay for what is cached.
    """
    turns = max((limit - size) / max(growth, 1), 1)
    return (1 - CACHED) * price / turns + CACHED * (limit + size) / 2


def _estimate_after_summary(
    messages: Sequence[AnyMessage], cut: Cut | None, room: Room, scale: float
) -> int:
    """Return the tokens of the view that a summary would leave."""
    plan = choose_cut(messages, cut, room, scale)
    if plan is None:
        return round(estimate_tokens(build_view(messages, cut)) * scale)
    sent = {*plan.kept, plan.request}
    at = next((at for at, message in enumerate(messages) if message.id == plan.upto), -1)
    requests = (message for message in messages[: at + 1] if message.id in sent)
    left = estimate_tokens(requests) + estimate_tokens(messages[at + 1 :])
    return round(left * scale) + room.summary


def _estimate_from(view: Sequence[AnyMessage], pruned: set[str], scale: float) -> int:
    """Return the tokens of the view from the first of the pruned messages."""
    first = next((at for at, message in enumerate(view) if message.id in pruned), len(view))
    return round(estimate_tokens(view[first:]) * scale)


def _find_stale(tail: Sequence[AnyMessage]) -> Iterator[str]:
    """Yield results that a later one replaces: the same call again, or a file that has changed."""
    newest_seen, later_calls = dict[str, str](), set[str]()
    protected = _find_last_batch(tail)
    for at, message, call in _iter_results_backwards(tail):
        seen = cast("dict[str, str]", message.additional_kwargs.get("seen") or {})
        key = f"{call['name']} {json.dumps(call['args'], sort_keys=True, default=str)}"
        has_changed = any(newest_seen.get(path, digest) != digest for path, digest in seen.items())
        is_stale = key in later_calls or (has_changed and call["name"] not in WRITING)
        if is_stale and at < protected and _can_be_pruned(message):
            yield str(message.id)
        # a reference to an earlier answer does not replace it
        if message.status != "error" and UNCHANGED_SINCE not in message.additional_kwargs:
            later_calls.add(key)
        newest_seen = {**seen, **newest_seen}


def _find_old(tail: Sequence[AnyMessage], room: int) -> Iterator[str]:
    """Yield what is older than the newest results in this room: results, and long arguments."""
    end, left = _find_last_batch(tail), room
    while end and left >= 0:
        end -= 1
        if isinstance(tail[end], ToolMessage):
            left -= estimate_message(tail[end])
    end = end + 1 if left < 0 else 0
    loop = next((at for at in range(len(tail), 0, -1) if ends_turn(tail[at - 1])), 0)
    for at, message in enumerate(tail[:end]):
        if isinstance(message, ToolMessage):
            is_old = _can_be_pruned(message)
        else:
            is_old = _has_long_arguments(message, is_open=at >= loop)
        if is_old:
            yield str(message.id)


def _find_last_batch(tail: Sequence[AnyMessage]) -> int:
    """Return the index of the last answer: neither its calls nor their results are pruned."""
    answers = (at for at in range(len(tail) - 1, -1, -1) if isinstance(tail[at], AIMessage))
    return next(answers, len(tail))


def _iter_results_backwards(
    tail: Sequence[AnyMessage],
) -> Iterator[tuple[int, ToolMessage, Mapping[str, Any]]]:
    """Yield the results with their index and their call, the newest first."""
    calls = {
        str(call["id"]): cast("Mapping[str, Any]", call)
        for message in tail
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }
    for at in range(len(tail) - 1, -1, -1):
        message = tail[at]
        if isinstance(message, ToolMessage) and message.tool_call_id in calls:
            yield at, message, calls[message.tool_call_id]


def _can_be_pruned(message: ToolMessage) -> bool:
    return message.name not in NEVER_PRUNED and not message.additional_kwargs.get("answered")


def _has_long_arguments(message: AnyMessage, *, is_open: bool) -> bool:
    """Return whether it writes files; in the open tool loop not if it has signed parts."""
    if not isinstance(message, AIMessage) or not isinstance(message.content, str):
        return False
    is_signed = any(message.additional_kwargs.get(name) for name in _SIGNED)
    return not (is_open and is_signed) and any(
        call["name"] in WRITING for call in message.tool_calls
    )
