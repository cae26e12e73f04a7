"""The exactly-once journal of tool calls: what was begun, what was finished, with which result.

LangGraph saves a task's result after the task has run, so a kill in between runs it twice. Here
every call leaves two marks, each on the disk before the run goes on: `started`
before it runs, `done` with its result after. Call ids must be unique within a thread, over all its
branches: a repeated id is answered with the old result.

Between the two marks it keeps what a call has printed so far, and beside the calls what a model has
said so far: a killed process leaves both behind.
"""

import json
import os
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..config.text import text
from .database.connection import connect, prepare_database, translate_sqlite_errors
from .transaction import begin_transaction

# What a call's id ends with on record when it runs a second time, outside the sandbox
SECOND_RUN = "-outside"


@dataclass(frozen=True)
class StartedCall:
    """The call is on record and may run now."""


@dataclass(frozen=True)
class FinishedCall:
    """The call ran before; this is what it answered."""

    result: dict[str, Any]


@dataclass(frozen=True)
class UnfinishedCall:
    """The call was begun before and its outcome is unknown: it must not be repeated blindly."""

    tool: str
    started_at: str
    """ISO 8601, UTC."""
    output: str = ""
    """What it had printed, as far as that was kept."""


# Id of the row of the answer that a model is giving; its `tool` is the checkpoint.
ANSWER_CALL_ID = "answer"


class Journal:
    """The journal of all threads in one database; its methods block, and any thread may call them.

    From a node: `await asyncio.to_thread(journal.begin_call, …)`.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal in the database, which is made ready first."""
        prepare_database(path)
        self._path = path
        self._connection = connect(path)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let go of the database, after what another thread is just doing to it.

        Left by its caller, as a cancelled one leaves it, that still runs: SQLite would crash.
        """
        with self._lock:
            self._connection.close()

    def begin_call(
        self, thread_id: str, call_id: str, tool: str, *, repeatable: bool = False
    ) -> StartedCall | FinishedCall | UnfinishedCall:
        """Put the call on record before it runs, or say what is known of it.

        An unfinished call begins again only when it is `repeatable` and was so when it was begun.
        """
        with self._begin_write():
            row = self._connection.execute(
                "SELECT state, result, tool, started_at, effectful FROM journal"
                " WHERE thread_id = ? AND call_id = ?",
                (thread_id, call_id),
            ).fetchone()
            if row is None or (row[0] == "started" and repeatable and not row[4]):
                self._write_start(thread_id, call_id, tool, effectful=not repeatable)
                return StartedCall()
        return _to_known_call(*row[:4])

    def find_call(self, thread_id: str, call_id: str) -> FinishedCall | UnfinishedCall | None:
        """What is on record of a call; None when it has not begun."""
        with self._lock, translate_sqlite_errors(self._path):
            row = self._connection.execute(
                "SELECT state, result, tool, started_at FROM journal"
                " WHERE thread_id = ? AND call_id = ?",
                (thread_id, call_id),
            ).fetchone()
        return _to_known_call(*row) if row else None

    def finish_call(self, thread_id: str, call_id: str, result: Mapping[str, Any]) -> None:
        """Record what the call answered; `result` must be JSON."""
        content = json.dumps(result)
        with self._begin_write():
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
        """Keep what a call that runs has printed so far; nothing where it has finished."""
        with self._begin_write():
            self._connection.execute(
                "UPDATE journal SET result = ?"
                " WHERE thread_id = ? AND call_id = ? AND state = 'started'",
                (json.dumps({"output": output}), thread_id, call_id),
            )

    def keep_partial_answer(self, thread_id: str, checkpoint_id: str, text: str) -> None:
        """Keep what a model has said so far of the answer to this checkpoint."""
        with self._begin_write():
            self._write_start(thread_id, ANSWER_CALL_ID, checkpoint_id, effectful=False)
            self._connection.execute(
                "UPDATE journal SET result = ? WHERE thread_id = ? AND call_id = ?",
                (json.dumps({"output": text}), thread_id, ANSWER_CALL_ID),
            )

    def read_partial_answer(self, thread_id: str, checkpoint_id: str) -> str:
        """What was kept of the answer to this checkpoint; empty: nothing."""
        known = self.find_call(thread_id, ANSWER_CALL_ID)
        if isinstance(known, UnfinishedCall) and known.tool == checkpoint_id:
            return known.output
        return ""

    @contextmanager
    def _begin_write(self) -> Generator[None]:
        with self._lock, translate_sqlite_errors(self._path), begin_transaction(self._connection):
            yield

    def _write_start(self, thread_id: str, call_id: str, tool: str, *, effectful: bool) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO journal"
            " (thread_id, call_id, tool, effectful, state, started_at, pid)"
            " VALUES (?, ?, ?, ?, 'started', ?, ?)",
            (thread_id, call_id, tool, effectful, _format_now(), os.getpid()),
        )


def _to_known_call(
    state: str, result: str | None, tool: str, started_at: str
) -> FinishedCall | UnfinishedCall:
    found: dict[str, Any] = json.loads(result) if result else {}
    if state == "done":
        return FinishedCall(found)
    return UnfinishedCall(tool, started_at, found.get("output", ""))


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
