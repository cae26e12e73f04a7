"""The exactly-once journal of tool calls: started calls, finished calls and their results.

LangGraph saves a task's result after the task has run, so a kill in between runs it twice. Here
every call has two marks, each synced to disk before the run continues: `started` before it runs,
`done` with its result after. Call IDs must be unique within a thread, over all its branches: a
repeated ID returns the old result.

Between the two marks the journal keeps the call's output so far, and separately a model's answer so
far: both survive a killed process.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..config.text import text
from .audit import AuditChain, begin_audited_write, digest_result
from .database.connection import connect, prepare_database, translate_sqlite_errors

# What a call's id ends with on record when it runs a second time, outside the sandbox
SECOND_RUN = "-outside"


@dataclass(frozen=True)
class StartedCall:
    """The call is recorded and may run now."""


@dataclass(frozen=True)
class FinishedCall:
    """The call ran before, with this result."""

    result: dict[str, Any]


@dataclass(frozen=True)
class UnfinishedCall:
    """The call started before and its outcome is unknown: it must not be repeated blindly."""

    tool: str
    started_at: str
    """ISO 8601, UTC."""
    output: str = ""
    """What it had printed, as far as that was kept."""


@dataclass(frozen=True)
class AskedCall:
    """The call was answered by a question to the user; it goes on once that is answered."""

    question: dict[str, Any]


# ID of the row of a partial model answer; its `tool` is the checkpoint.
ANSWER_CALL_ID = "answer"


JournalEntry = StartedCall | FinishedCall | UnfinishedCall | AskedCall
"""What is known of a call that is about to run."""


class Journal:
    """The journal of all threads in one database; its methods block, and any thread may call them.

    From a node: `await asyncio.to_thread(journal.begin_call, …)`.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal in the database; create or migrate the database first."""
        prepare_database(path)
        self._path = path
        self._connection = connect(path)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the database once another thread has finished its current operation on it.

        A cancelled caller may leave such an operation running: closing at once would crash SQLite.
        """
        with self._lock:
            self._connection.close()

    def begin_call(
        self,
        thread_id: str,
        call_id: str,
        tool: str,
        *,
        repeatable: bool = False,
        audit: Mapping[str, object] | None = None,
    ) -> JournalEntry:
        """Record the call before it runs, or return what is known of it.

        An unfinished call may run again only if it is `repeatable` and was so when it started.
        One that may run is put into the audit with the fields of `audit`.
        """
        with self._begin_write(thread_id) as chain:
            row = self._connection.execute(
                "SELECT state, result, tool, started_at, question, effectful FROM journal"
                " WHERE thread_id = ? AND call_id = ?",
                (thread_id, call_id),
            ).fetchone()
            is_cut_short = row is not None and row[0] == "started" and row[4] is None
            if row is None or (is_cut_short and repeatable and not row[5]):
                self._write_start(thread_id, call_id, tool, effectful=not repeatable)
                if audit is not None:
                    chain.add("started", {"call": call_id, "tool": tool, **audit})
                return StartedCall()
        return _to_known_call(*row[:5])

    def ask_in_call(self, thread_id: str, call_id: str, question: Mapping[str, Any]) -> None:
        """Record that a started call waits for an answer to this question, which must be JSON."""
        self._set_question(thread_id, call_id, json.dumps(question))

    def continue_call(self, thread_id: str, call_id: str) -> None:
        """Record that the question of a call is answered: until it finishes, it has started."""
        self._set_question(thread_id, call_id, None)

    def _set_question(self, thread_id: str, call_id: str, question: str | None) -> None:
        with self._begin_write(thread_id):
            self._connection.execute(
                "UPDATE journal SET question = ?"
                " WHERE thread_id = ? AND call_id = ? AND state = 'started'",
                (question, thread_id, call_id),
            )

    def find_call(
        self, thread_id: str, call_id: str
    ) -> FinishedCall | UnfinishedCall | AskedCall | None:
        """Return the record of a call; None if it has not started."""
        with self._lock, translate_sqlite_errors(self._path):
            row = self._connection.execute(
                "SELECT state, result, tool, started_at, question FROM journal"
                " WHERE thread_id = ? AND call_id = ?",
                (thread_id, call_id),
            ).fetchone()
        return _to_known_call(*row) if row else None

    def finish_call(
        self, thread_id: str, call_id: str, result: Mapping[str, Any], *, is_audited: bool = False
    ) -> None:
        """Record the call's result, which must be JSON, and its digest in the audit."""
        content = json.dumps(result)
        with self._begin_write(thread_id) as chain:
            if is_audited:
                chain.add("finished", {"call": call_id, "result": digest_result(content)})
            changed = self._connection.execute(
                "UPDATE journal SET state = 'done', result = ?, finished_at = ?"
                " WHERE thread_id = ? AND call_id = ? AND state = 'started'",
                (content, _format_now(), thread_id, call_id),
            ).rowcount
            if changed != 1:
                raise LookupError(
                    text(
                        "call {call_id} of thread {thread_id} was not started",
                        call_id=call_id,
                        thread_id=thread_id,
                    )
                )

    def keep_output(self, thread_id: str, call_id: str, output: str) -> None:
        """Keep the output so far of a running call; do nothing if it has finished."""
        with self._begin_write(thread_id):
            self._connection.execute(
                "UPDATE journal SET result = ?"
                " WHERE thread_id = ? AND call_id = ? AND state = 'started'",
                (json.dumps({"output": output}), thread_id, call_id),
            )

    def list_unfinished(self, thread_id: str, tool: str) -> dict[str, str]:
        """Return the thread's unfinished calls of this tool: their output so far, by ID."""
        with self._lock, translate_sqlite_errors(self._path):
            rows = self._connection.execute(
                "SELECT call_id, result FROM journal"
                " WHERE thread_id = ? AND tool = ? AND state = 'started' ORDER BY started_at",
                (thread_id, tool),
            ).fetchall()
        return {key: json.loads(result).get("output", "") if result else "" for key, result in rows}

    def keep_partial_answer(self, thread_id: str, checkpoint_id: str, text: str) -> None:
        """Keep the model's partial answer to this checkpoint."""
        with self._begin_write(thread_id):
            self._write_start(thread_id, ANSWER_CALL_ID, checkpoint_id, effectful=False)
            self._connection.execute(
                "UPDATE journal SET result = ? WHERE thread_id = ? AND call_id = ?",
                (json.dumps({"output": text}), thread_id, ANSWER_CALL_ID),
            )

    def read_partial_answer(self, thread_id: str, checkpoint_id: str) -> str:
        """Return the partial answer to this checkpoint; empty if there is none."""
        partial_answer = self.find_call(thread_id, ANSWER_CALL_ID)
        if isinstance(partial_answer, UnfinishedCall) and partial_answer.tool == checkpoint_id:
            return partial_answer.output
        return ""

    @contextmanager
    def _begin_write(self, thread_id: str) -> Generator[AuditChain]:
        with (
            self._lock,
            translate_sqlite_errors(self._path),
            begin_audited_write(self._connection, self._path, thread_id) as chain,
        ):
            yield chain

    def _write_start(self, thread_id: str, call_id: str, tool: str, *, effectful: bool) -> None:
        self._connection.execute(
            "INSERT INTO journal (thread_id, call_id, tool, effectful, state, started_at, pid)"
            " VALUES (?, ?, ?, ?, 'started', ?, ?)"
            " ON CONFLICT (thread_id, call_id) DO UPDATE SET tool = excluded.tool,"
            " effectful = excluded.effectful, state = 'started', result = NULL,"
            " started_at = excluded.started_at, finished_at = NULL, pid = excluded.pid,"
            " question = NULL",
            (thread_id, call_id, tool, effectful, _format_now(), os.getpid()),
        )


def list_outcomes(
    connection: sqlite3.Connection, thread_id: str, since: str
) -> list[Mapping[str, Any]]:
    """Return what came of the calls of a thread that began after a time, and have ended."""
    rows = connection.execute(
        "SELECT result FROM journal WHERE thread_id = ? AND started_at > ? AND state = 'done'",
        (thread_id, since),
    )
    return [json.loads(row[0] or "{}") for row in rows]


def _to_known_call(
    state: str, result: str | None, tool: str, started_at: str, question: str | None
) -> FinishedCall | UnfinishedCall | AskedCall:
    values: dict[str, Any] = json.loads(result) if result else {}
    if state == "done":
        return FinishedCall(values)
    if question is not None:
        return AskedCall(json.loads(question))
    return UnfinishedCall(tool, started_at, values.get("output", ""))


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
