"""What a thread's roles said, read from LangGraph's tables without building a single message."""

import sqlite3
from dataclasses import dataclass
from typing import Any, cast

from ..database.checkpoint_queries import get_mapping, unpack_blob

_WRITES = (
    "SELECT checkpoint_id, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ''"
    " AND channel = 'messages' AND type = 'msgpack' AND task_path LIKE '~\\_\\_pregel\\_pull%'"
    " ESCAPE '\\'"
)
"""What nodes wrote to the conversation. Answers of tools, most of the bytes, are not among it:
calls are pushed."""


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
    """The model answers of a thread by the checkpoint from which each was asked for."""
    found: dict[str, ModelMessage] = {}
    for checkpoint_id, value in connection.execute(_WRITES, (thread_id,)):
        for message in filter_mappings(unpack_blob(value, unpack_fields)):
            is_half = get_mapping(message, "additional_kwargs").get("interrupted")
            if message.get("type") == "ai" and not is_half:
                found[checkpoint_id] = _parse_message(message)
    return found


def unpack_fields(data: bytes) -> object:
    """The fields of a stored object, which is packed as module, name, fields, …"""
    packed = unpack_blob(data)
    parts = cast("list[object]", packed) if isinstance(packed, list) else []
    return parts[2] if len(parts) > 2 else None


def _parse_message(message: dict[str, Any]) -> ModelMessage:
    kinds = ("tool_calls", "invalid_tool_calls")
    calls = [call for kind in kinds for call in filter_mappings(message.get(kind))]
    return ModelMessage(
        role=str(get_mapping(message, "additional_kwargs").get("role", "")),
        text=extract_text(message.get("content")),
        tools=tuple(str(call.get("name") or "?") for call in calls),
        calls=tuple(str(call.get("id")) for call in calls),
    )


def extract_text(content: object) -> str:
    """The text of a message, which may come in blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(extract_text(block) for block in cast("list[object]", content))
    text = cast("dict[str, Any]", content).get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


def filter_mappings(value: object) -> list[dict[str, Any]]:
    """The mappings of a list; whatever else is there is left out."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", each) for each in found if isinstance(each, dict)]
