"""Tool calls in a conversation: which were made, and which have an answer."""

import sqlite3
from dataclasses import dataclass, field

from .row_data import filter_mappings
from .tables import OWN_NAMESPACE
from .writes import read_channel_writes


@dataclass(frozen=True)
class CallIds:
    """IDs of calls."""

    made: set[str] = field(default_factory=set[str])
    answered: set[str] = field(default_factory=set[str])


def read_call_ids(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> CallIds:
    """Read the calls of a thread's or child's conversation as it is: not of abandoned branches."""
    call_ids = CallIds()
    for write in read_channel_writes(connection, thread_id, namespace):
        if write.channel != "messages" or not write.value:
            continue
        call_ids.made.update(
            str(call.get("id")) for call in filter_mappings(write.value.get("tool_calls"))
        )
        if write.value.get("type") == "tool":
            call_ids.answered.add(str(write.value.get("tool_call_id")))
    return call_ids
