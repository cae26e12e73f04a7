"""Leases of threads in PostgreSQL, for processes on several machines.

A lease ends by the server's clock `LEASE_SECONDS` after its holder last extended it. Who was
stopped for longer and goes on finds a newer number, and writes nothing: `../transaction.py`.
"""

import json
import logging
import os
import socket
import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from ...config.errors import MaxAgentError
from ..database.connection import connect, translate_sqlite_errors
from ..transaction import begin_thread_write, keep_lease_number, take_lease_number

LEASE_SECONDS = 30.0
_logger = logging.getLogger(__name__)
_NOW = "EXTRACT(EPOCH FROM clock_timestamp())"
_READ = (
    f"SELECT result, CAST(finished_at AS DOUBLE PRECISION) > {_NOW} FROM journal"
    " WHERE thread_id = ? AND call_id = 'lease' AND finished_at != ''"
)
_EXTEND = (
    f"UPDATE journal SET result = ?, finished_at = CAST({_NOW} + ? AS TEXT)"
    " WHERE thread_id = ? AND call_id = 'lease' AND pid = ?"
)
_IF_HELD = " AND finished_at != ''"
_END = "UPDATE journal SET finished_at = '' WHERE thread_id = ? AND call_id = 'lease' AND pid = ?"
# What this process holds and extends: by database and thread, the number and the holder
_held: dict[tuple[Path, str], tuple[int, str]] = {}
_extending: threading.Thread | None = None
_starting = threading.Lock()


def read_holder(database: Path, thread_id: str) -> dict[str, Any] | None:
    """Return the fields of the process that holds the thread; None if nobody does.

    A process of this machine that has died holds nothing.
    """
    with translate_sqlite_errors(database), closing(connect(database)) as connection:
        return _read_living(connection, thread_id)


def read_holders(database: Path, threads: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the fields of the process that holds each of the threads, by one query."""
    query = _READ.replace("SELECT result", "SELECT thread_id, result").replace(
        "thread_id = ?", "thread_id IN (SELECT value FROM json_each(?))"
    )
    with translate_sqlite_errors(database), closing(connect(database)) as connection:
        rows = connection.execute(query, (json.dumps([*threads]),)).fetchall()
    read = ((thread_id, _read_fields(row)) for thread_id, *row in rows)
    return {thread_id: fields for thread_id, fields in read if fields}


def _read_living(connection: sqlite3.Connection, thread_id: str) -> dict[str, Any] | None:
    return _read_fields(connection.execute(_READ, (thread_id,)).fetchone())


def _read_fields(row: Sequence[Any] | None) -> dict[str, Any] | None:
    fields: dict[str, Any] = json.loads(row[0]) if row and row[1] else {}
    machine = str(fields.pop("machine", ""))
    return fields if fields and not has_died(machine, fields.get("pid")) else None


def take_lease(database: Path, thread_id: str, holder: Mapping[str, Any]) -> int | dict[str, Any]:
    """Return the number of a new lease, or the fields of the process that holds the thread."""
    packed = json.dumps({**holder, "machine": identify_machine()})
    with (
        translate_sqlite_errors(database),
        closing(connect(database)) as connection,
        begin_thread_write(connection, database, thread_id),
    ):
        if other := _read_living(connection, thread_id):
            return other
        number = take_lease_number(connection, thread_id)
        connection.execute(_EXTEND, (packed, LEASE_SECONDS, thread_id, number))
    keep_lease_number(database, thread_id, number)
    _held[database, thread_id] = number, packed
    _start_extending()
    return number


def end_lease(database: Path, thread_id: str, number: int) -> None:
    """Let the next one have the thread, unless another process has taken it over."""
    if _held.get((database, thread_id), (0, ""))[0] == number:
        del _held[database, thread_id]
    with (
        suppress(MaxAgentError),  # the server is gone: the lease ends by itself
        translate_sqlite_errors(database),
        closing(connect(database)) as connection,
    ):
        connection.execute(_END, (thread_id, number))


def identify_machine() -> str:
    """Return what processes share that see each other by their PIDs: the boot, the namespace.

    A host's name is not enough: containers may have the same one, and a host its own after a boot.
    """
    facts = [socket.gethostname()]
    with suppress(OSError):  # Linux alone has them
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        facts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(facts)


def has_died(machine: str, pid: object) -> bool:
    """Return whether a process is no more; False if that cannot be known here, or not yet."""
    if machine != identify_machine() or not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # another user's, which lives
        pass
    return False


def _start_extending() -> None:
    global _extending
    with _starting:
        if _extending is None or not _extending.is_alive():
            _extending = threading.Thread(target=_extend_leases, name="leases", daemon=True)
            _extending.start()


def _extend_leases() -> None:
    """Extend what this process holds, three times in the life of a lease."""
    pause = threading.Event()
    while not pause.wait(LEASE_SECONDS / 3):
        for (database, thread_id), (number, packed) in list(_held.items()):
            try:
                extend_lease(database, thread_id, number, packed)
            except MaxAgentError as error:  # the next writes of the run will say so
                _logger.warning("lease of thread %s not extended: %s", thread_id, error.message)


def extend_lease(database: Path, thread_id: str, number: int, packed: str) -> None:
    """Extend a lease; one that has ended meanwhile stays ended."""
    with translate_sqlite_errors(database), closing(connect(database)) as connection:
        values = (packed, LEASE_SECONDS, thread_id, number)
        if connection.execute(_EXTEND + _IF_HELD, values).rowcount == 0:
            _logger.warning("lease %d of thread %s was lost", number, thread_id)
            if _held.get((database, thread_id), (0, ""))[0] == number:
                del _held[database, thread_id]
