"""LangGraph's two tables: their names, the channels that we keep in them, a thread's branches."""

import sqlite3
from typing import Literal, get_args

TABLES = ("checkpoints", "writes")

# The channels whose writes make up a thread's history; no checkpoint has all of it.
StoryChannel = Literal[
    "request", "messages", "told", "evidence", "outcome", "cuts", "context_message"
]
STORY: tuple[StoryChannel, ...] = get_args(StoryChannel)
# Other writes to keep: without them a question cannot be shown or answered again.
KEPT_CHANNELS = (*STORY, "__interrupt__", "__resume__", "__error__")

# Of the thread itself
OWN_NAMESPACE = ""
# A child's is `subagent:TASK-ID`
HAS_CONVERSATION = "(checkpoint_ns = '' OR checkpoint_ns GLOB 'subagent:*')"
_LAST = (
    "SELECT MAX(checkpoint_id) FROM checkpoints"
    " WHERE thread_id = :thread AND checkpoint_ns = :namespace"
)
# UNION takes no checkpoint twice: a damaged thread may have a cycle.
# The checkpoint `:last` and all before it, as `chain(id)`
BRANCH = """
    WITH RECURSIVE chain(id) AS (
        VALUES (:last)
        UNION
        SELECT parent_checkpoint_id FROM chain CROSS JOIN checkpoints ON checkpoint_id = chain.id
        WHERE thread_id = :thread AND checkpoint_ns = :namespace
            AND parent_checkpoint_id IS NOT NULL
    )
"""
# The same from the thread's last checkpoint
CONVERSATION = BRANCH.replace("VALUES (:last)", _LAST)
_IDS = CONVERSATION + " SELECT id FROM chain WHERE id IS NOT NULL ORDER BY id"


def has_tables(connection: sqlite3.Connection) -> bool:
    """Whether LangGraph's tables exist; the first run creates both at once."""
    query = "SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('checkpoints', 'writes')"
    return connection.execute(query).fetchone()[0] == len(TABLES)


def read_last_id(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> str:
    """Read the id of the thread's last checkpoint; empty before the first."""
    if not has_tables(connection):
        return ""
    parameters = {"thread": thread_id, "namespace": namespace}
    return connection.execute(_LAST, parameters).fetchone()[0] or ""


def read_conversation_ids(
    connection: sqlite3.Connection, thread_id: str, namespace: str = OWN_NAMESPACE
) -> list[str]:
    """Read the IDs of the conversation's checkpoints, the oldest first."""
    if not has_tables(connection):
        return []
    parameters = {"thread": thread_id, "namespace": namespace}
    return [id_ for (id_,) in connection.execute(_IDS, parameters)]


def read_sizes(connection: sqlite3.Connection) -> dict[str, int]:
    """Measure each thread's checkpoints and writes, in bytes."""
    sizes: dict[str, int] = {}
    if not has_tables(connection):
        return sizes
    for query in (
        "SELECT thread_id, SUM(LENGTH(checkpoint)) FROM checkpoints GROUP BY thread_id",
        "SELECT thread_id, SUM(LENGTH(value)) FROM writes GROUP BY thread_id",
    ):
        for thread_id, size in connection.execute(query):
            sizes[thread_id] = sizes.get(thread_id, 0) + (size or 0)
    return sizes


def rebuild_indexes(connection: sqlite3.Connection) -> None:
    """Rebuild the indexes: until then they keep space for deleted rows."""
    if has_tables(connection):
        connection.execute("REINDEX checkpoints")
        connection.execute("REINDEX writes")
