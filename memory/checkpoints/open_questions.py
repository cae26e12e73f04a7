"""Open questions of a thread, by SQL alone: its last checkpoint's interrupts without an answer."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .row_data import filter_mappings, get_mapping, unpack_blob, unpack_fields
from .tables import has_tables, read_last_id

# A task's own rows count from 0. Those of LangGraph, such as an interrupt, have negative numbers,
# and stay when the task has been answered and has ended.
_INTERRUPTS = """
    SELECT value FROM writes AS asked
    WHERE thread_id = :thread AND checkpoint_ns = '' AND checkpoint_id = :last
        AND channel = '__interrupt__' AND NOT EXISTS (
            SELECT 1 FROM writes WHERE thread_id = asked.thread_id AND checkpoint_ns = ''
                AND checkpoint_id = asked.checkpoint_id AND task_id = asked.task_id AND idx >= 0
        )
    ORDER BY task_path, task_id
"""

# The same of many threads at their last checkpoints
_INTERRUPTS_OF_MANY = """
    SELECT asked.thread_id, asked.value FROM json_each(?) AS one CROSS JOIN writes AS asked
    ON asked.thread_id = one.value AND asked.checkpoint_ns = '' AND asked.checkpoint_id = (
            SELECT MAX(checkpoint_id) FROM checkpoints
            WHERE thread_id = one.value AND checkpoint_ns = ''
        ) AND channel = '__interrupt__' AND NOT EXISTS (
            SELECT 1 FROM writes WHERE thread_id = asked.thread_id AND checkpoint_ns = ''
                AND checkpoint_id = asked.checkpoint_id AND task_id = asked.task_id AND idx >= 0
        )
"""


@dataclass(frozen=True)
class OpenQuestion:
    """One interrupt that waits for an answer."""

    id: str
    agent: str
    """The sub-agent that asks, such as `explore-1`; empty: the thread's own."""
    requests: tuple[dict[str, Any], ...]
    """`name`, `args` and `description` of each call to decide; none at a limit."""
    configs: tuple[dict[str, Any], ...] = ()
    """`allowed_decisions` of each request."""
    description: str = ""
    """The limit that was reached; empty otherwise."""
    until: str = ""
    provider: str = ""


def read_open_questions(
    connection: sqlite3.Connection, thread_id: str, last: str = ""
) -> list[OpenQuestion]:
    """Read what the thread waits for: its limits come last.

    `last` is its last checkpoint, where the caller knows it.
    """
    if not has_tables(connection):
        return []
    last = last or read_last_id(connection, thread_id)
    rows = connection.execute(_INTERRUPTS, {"thread": thread_id, "last": last})
    interrupts = [fields for (value,) in rows for fields in _read_interrupts(value)]
    questions = [
        parse_interrupt(str(fields.get("id", "")), get_mapping(fields, "value"))
        for fields in interrupts
    ]
    return sorted(questions, key=lambda question: not question.requests)


def count_open_questions(connection: sqlite3.Connection, ids: Sequence[str]) -> Counter[str]:
    """Count what each of the threads waits for; LangGraph's tables must exist."""
    counts = Counter[str]()
    for thread_id, value in connection.execute(_INTERRUPTS_OF_MANY, (json.dumps(ids),)):
        counts[thread_id] += len(_read_interrupts(value))
    return counts


def _read_interrupts(value: object) -> list[dict[str, Any]]:
    # one that cannot be read waits, too
    return filter_mappings(unpack_blob(value, unpack_fields)) or [{}]


def parse_interrupt(interrupt_id: str, asked: Mapping[str, Any]) -> OpenQuestion:
    """Parse the value of an interrupt, whatever a node or a server put there."""
    return OpenQuestion(
        id=interrupt_id,
        agent=str(asked.get("agent", "")),
        requests=tuple(filter_mappings(asked.get("action_requests"))),
        configs=tuple(filter_mappings(asked.get("review_configs"))),
        description=str(asked.get("description", "")),
        until=str(asked.get("until", "")),
        provider=str(asked.get("provider", "")),
    )
