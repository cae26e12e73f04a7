"""The reducer of the `messages` channel: builds a thread's messages from its writes."""

from collections import deque
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)

_ID = attrgetter("id")


_PLAIN = {AIMessage, HumanMessage, ToolMessage}


# The lists merged last, with their IDs: each step of a thread extends one of them.
_merged: deque[tuple[list[AnyMessage], set[str | None]]] = deque(maxlen=8)


def merge_messages(state: list[AnyMessage], writes: Sequence[Any]) -> list[AnyMessage]:
    """Append messages; one with a known ID replaces the old one, `RemoveMessage` deletes it.

    LangGraph's own delta reducer is still private, and this channel must not break with its
    updates.
    """
    written: list[object] = []
    for write in writes:
        written += cast("list[object]", write) if isinstance(write, list) else [write]
    # usually there is nothing to replace
    if {*map(type, written)} <= _PLAIN:
        new, existing_ids = {*map(_ID, written)}, _collect_ids(state)
        if len(new) == len(written) and new.isdisjoint(existing_ids):
            whole = [*state, *cast("list[AnyMessage]", written)]
            _merged.append((whole, existing_ids | new))
            return whole
    merged: dict[str, AnyMessage] = {str(message.id): message for message in state}
    for message in written:
        if isinstance(message, RemoveMessage):
            merged.pop(str(message.id), None)
        elif isinstance(message, BaseMessage):
            merged[str(message.id)] = cast("AnyMessage", message)
    return list(merged.values())


def _collect_ids(messages: list[AnyMessage]) -> set[str | None]:
    for merged_messages, ids in tuple(_merged):  # other threads merge concurrently
        if merged_messages is messages and len(ids) == len(messages):
            return ids
    return {*map(_ID, messages)}
