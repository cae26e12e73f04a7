"""Give a forked thread what it shares with its parent, by SQL."""

import sqlite3

_CHAIN = """
    WITH RECURSIVE chain(id) AS (
        VALUES (:last)
        UNION ALL
        SELECT parent_checkpoint_id FROM checkpoints JOIN chain ON checkpoint_id = chain.id
        WHERE thread_id = :parent AND checkpoint_ns = '' AND parent_checkpoint_id IS NOT NULL
    )
"""
_CHECKPOINTS = """
    INSERT INTO checkpoints
        (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    SELECT :fork, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
    FROM checkpoints JOIN chain ON checkpoint_id = chain.id
    WHERE thread_id = :parent AND checkpoint_ns = ''
"""
_WRITES = """
    INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel,
        type, value)
    SELECT :fork, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
    FROM writes JOIN chain ON checkpoint_id = chain.id
    WHERE thread_id = :parent AND checkpoint_ns = '' AND checkpoint_id != :last
"""
"""The messages are in the writes of the checkpoints before; those of the last one itself are of
what the parent did next."""


_HISTORY = """
    INSERT INTO file_history SELECT :fork, number, key, kind, tool, turn, reverted, before_tree,
        after_tree, changes, state, sure, created_at, left_alone, doubtful
    FROM file_history WHERE thread_id = :parent AND number <= :upto AND state = 'done'
"""


def copy_checkpoints(connection: sqlite3.Connection, parent: str, last: str, fork: str) -> None:
    """Copy the checkpoint `last` of the thread `parent` and all before it to the thread `fork`.

    Calls that are open at it are known to the parent only.
    """
    given = {"parent": parent, "last": last, "fork": fork}
    for copied in (_CHECKPOINTS, _WRITES):
        connection.execute(_CHAIN + copied, given)


def copy_history(connection: sqlite3.Connection, parent: str, upto: int, fork: str) -> None:
    """Give the fork the entries of the file history up to that one, under their numbers."""
    connection.execute(_HISTORY, {"parent": parent, "upto": upto, "fork": fork})
