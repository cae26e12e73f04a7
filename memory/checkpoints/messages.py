"""Messages of threads, as plain data."""

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .row_data import extract_text, filter_mappings, get_mapping, unpack_blob, unpack_fields
from .tables import HAS_CONVERSATION, has_tables
from .task_path import PULLED, WRITTEN_BY_EDGE, WRITTEN_BY_UPDATE, is_state_update

# Tool results, most of the bytes, are not read: tool calls are sent and have no edge.
_ANSWERS = (
    "SELECT checkpoint_id, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ''"
    " AND channel = 'messages' AND type = 'msgpack' AND " + WRITTEN_BY_EDGE
)
_TEXTS = (
    "SELECT thread_id, channel, task_path, value FROM writes"
    f" WHERE {HAS_CONVERSATION} AND type = 'msgpack' AND (channel = 'request' OR"
    f" (channel = 'messages' AND ({WRITTEN_BY_EDGE} OR {WRITTEN_BY_UPDATE})))"
)
_REMARK = PULLED + "review"


@dataclass(frozen=True)
class ModelMessage:
    """One model answer; empty for the beginning of a thread."""

    role: str = ""
    text: str = ""
    """Its text, of any length."""
    tools: tuple[str, ...] = ()
    """Names of the tools that it calls, in order."""
    calls: tuple[str, ...] = ()
    """And the ids of these calls."""


def read_model_messages(connection: sqlite3.Connection, thread_id: str) -> dict[str, ModelMessage]:
    """Read the model's answers by the checkpoint from which each was requested."""
    model_messages: dict[str, ModelMessage] = {}
    for checkpoint_id, value in connection.execute(_ANSWERS, (thread_id,)):
        for message in filter_mappings(unpack_blob(value, unpack_fields)):
            is_half = get_mapping(message, "additional_kwargs").get("interrupted")
            if message.get("type") == "ai" and not is_half:
                model_messages[checkpoint_id] = _parse_message(message)
    return model_messages


def _parse_message(message: dict[str, Any]) -> ModelMessage:
    kinds = ("tool_calls", "invalid_tool_calls")
    calls = [call for kind in kinds for call in filter_mappings(message.get(kind))]
    return ModelMessage(
        role=str(get_mapping(message, "additional_kwargs").get("role", "")),
        text=extract_text(message.get("content")),
        tools=tuple(str(call.get("name") or "?") for call in calls),
        calls=tuple(str(call.get("id")) for call in calls),
    )


def read_searchable_texts(connection: sqlite3.Connection) -> Mapping[str, list[str]]:
    """Read every text a user or a model wrote, by thread, sub-agents and their tasks included.

    A fork includes its parent's.
    """
    texts_by_thread: dict[str, list[str]] = defaultdict(list)
    if not has_tables(connection):
        return texts_by_thread
    for thread_id, channel, task_path, value in connection.execute(_TEXTS):
        if channel == "request":
            texts_by_thread[thread_id].append(str(unpack_blob(value)))
            continue
        # other nodes write to the model for the user, such as a change of mode
        kinds = {"human" if task_path == _REMARK else "ai"}
        if is_state_update(task_path):  # a fork's first message, or a partial answer
            kinds = {"human", "ai"}
        messages = filter_mappings(unpack_blob(value, unpack_fields))
        texts_by_thread[thread_id] += [
            extract_text(message.get("content"))
            for message in messages
            if message.get("type") in kinds or _is_steered(message)
        ]
    return texts_by_thread


def _is_steered(message: Mapping[str, Any]) -> bool:
    """Return whether the user sent the message while the model worked."""
    return bool(get_mapping(message, "additional_kwargs").get("steered"))
