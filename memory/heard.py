"""What humans said in threads, read from LangGraph's tables by SQL, so that it can be searched."""

import sqlite3
from collections import defaultdict
from collections.abc import Mapping

from .checkpoint_facts import has_tables, unpacked
from .said import fields, mappings, text_of

_HEARD = (
    "SELECT thread_id, channel, value FROM writes WHERE checkpoint_ns = '' AND type = 'msgpack'"
    " AND (channel = 'request' OR channel = 'messages'"
    " AND (task_path = '~__pregel_pull, review' OR task_path LIKE '~\\_\\_interrupt%' ESCAPE '\\'))"
)
"""Requests and all that was said in a conversation; remarks on a result; what forks were told.

One pass over the table without looking at what models and tools wrote: 0.1 s for 460 MB."""


def heard(connection: sqlite3.Connection) -> Mapping[str, list[str]]:
    """The human's words of each thread; forks have those of their parents, too."""
    found: dict[str, list[str]] = defaultdict(list)
    if not has_tables(connection):
        return found
    for thread_id, channel, value in connection.execute(_HEARD):
        if channel == "request":
            found[thread_id].append(str(unpacked(value)))
            continue
        told = mappings(unpacked(value, fields))
        words = [text_of(one.get("content")) for one in told if one.get("type") == "human"]
        found[thread_id] += words
    return found
