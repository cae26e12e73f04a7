"""The children of a thread's conversation as it is: those of abandoned branches do not count."""

import sqlite3
from dataclasses import asdict, replace

from ..checkpoints.calls import read_call_ids
from ..checkpoints.thread_rows import copy_child_rows, delete_child_rows
from .sub_runs import ENDED, INSERT_SUB_RUN, SubRun, read_sub_runs


def read_children(connection: sqlite3.Connection, thread_id: str) -> list[SubRun]:
    """Read the children in the order of their calls, and of the tasks of each."""
    children = read_sub_runs(connection, thread_id)
    # most threads have none, and need not be read
    made = read_call_ids(connection, thread_id).made if children else set[str]()
    return [child for child in children if child.call_id in made]


def read_child_calls(connection: sqlite3.Connection, thread_id: str) -> dict[str, SubRun]:
    """Read which child made each call that the thread's own agents did not, by the call's ID."""
    return {
        call_id: child
        for child in read_sub_runs(connection, thread_id)
        for call_id in read_call_ids(connection, thread_id, child.namespace).made
    }


def copy_children(connection: sqlite3.Connection, parent: str, fork: str) -> None:
    """Copy the children that have ended to a fork, as far as its conversation has their calls."""
    children = read_sub_runs(connection, parent)
    made = read_call_ids(connection, fork).made if children else set[str]()
    for child in children:
        if child.call_id in made and child.status in ENDED:
            copy_child_rows(connection, parent, child.namespace, fork)
            connection.execute(INSERT_SUB_RUN, asdict(replace(child, thread_id=fork)))


def delete_abandoned_children(connection: sqlite3.Connection, thread_id: str) -> None:
    """Delete the children whose calls the conversation has no more."""
    existing_ids = {child.sub_id for child in read_children(connection, thread_id)}
    for child in read_sub_runs(connection, thread_id):
        if child.sub_id not in existing_ids:
            delete_child_rows(connection, thread_id, child.namespace)
            query = "DELETE FROM sub_runs WHERE thread_id = ? AND sub_id = ?"
            connection.execute(query, (thread_id, child.sub_id))
