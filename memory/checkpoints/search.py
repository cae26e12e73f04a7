"""What humans and models said in threads, read from LangGraph's tables by SQL, to be searched."""

import sqlite3
from collections import defaultdict
from collections.abc import Mapping

from ..database.checkpoint_queries import has_tables, unpack_blob
from .messages import extract_text, filter_mappings, unpack_fields

_TEXTS = (
    "SELECT thread_id, channel, task_path, value FROM writes"
    " WHERE checkpoint_ns = '' AND type = 'msgpack' AND (channel = 'request' OR"
    " (channel = 'messages' AND (task_path LIKE '~\\_\\_pregel\\_pull%' ESCAPE '\\'"
    " OR task_path LIKE '~\\_\\_interrupt%' ESCAPE '\\')))"
)
"""Requests, answers of models, remarks on a result; of what was put in from outside what forks were
told, and half answers. Not what tools wrote, which is most of the bytes."""
_REMARK = "~__pregel_pull, review"


def read_searchable_texts(connection: sqlite3.Connection) -> Mapping[str, list[str]]:
    """What was said in each thread; forks have what was said in their parents, too."""
    found: dict[str, list[str]] = defaultdict(list)
    if not has_tables(connection):
        return found
    for thread_id, channel, task_path, value in connection.execute(_TEXTS):
        if channel == "request":
            found[thread_id].append(str(unpack_blob(value)))
            continue
        # other nodes write what the model is told in the human's place, such as the mode
        kinds = {"human" if task_path == _REMARK else "ai"}
        if str(task_path).startswith("~__interrupt"):
            kinds = {"human", "ai"}
        told = filter_mappings(unpack_blob(value, unpack_fields))
        found[thread_id] += [
            extract_text(one.get("content")) for one in told if one.get("type") in kinds
        ]
    return found
