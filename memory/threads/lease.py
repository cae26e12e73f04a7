"""Lease of a thread: the process that runs it holds a lock file; others see the holder.

The lock is `flock`: the kernel frees it however its holder dies, so nothing ever expires, and a
process that is stopped keeps its lease. Where the lock is lost all the same, because its file was
deleted or a network file system forgot it, the lease's number keeps the one who lost it from
writing: `../transaction.py`. With PostgreSQL it has a lease there, too: `server_lease.py`.
"""

import fcntl
import json
import logging
import os
import socket
import sys
import time
from collections.abc import Collection, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ...config import paths
from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...config.paths import ensure_data_folder
from ...config.security.file_lock import choose_file_hint
from ...config.text import text
from ..database.connection import connect, find_server, prepare_database, translate_sqlite_errors
from ..transaction import (
    begin_transaction,
    drop_lease_number,
    keep_lease_number,
    take_lease_number,
)
from .thread_id import validate_thread_id

_HOST = socket.gethostname()
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LeaseHolder:
    """The process that runs a thread."""

    pid: int
    host: str
    command: str
    since: float
    """Unix time."""

    @property
    def clock(self) -> str:
        """The local time of day when it started, as `12:03`."""
        return time.strftime("%H:%M", time.localtime(self.since))

    @property
    def address(self) -> str:
        """The machine and the process, as `build-7:4711`; empty if they are not known."""
        return f"{self.host}:{self.pid}" if self.pid else ""


@contextmanager
def acquire_lease(home: Path, thread_id: str) -> Generator[None]:
    """Hold the thread's lease; raises ThreadBusyError within 0.1 s if another process holds it."""
    path = get_lock_path(home, thread_id)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        lock = _try_lock(path)
    except OSError as error:
        message = text(
            "cannot lock thread `{thread_id}` in `{parent}`: {reason}",
            thread_id=thread_id,
            parent=path.parent,
            reason=error.strerror,
        )
        hint = choose_file_hint(error, "check the folder's permissions and free space")
        raise MaxAgentError(message, hint=hint) from error
    if lock is None:
        _logger.info("lease refused: thread %s is in use", thread_id)
        raise _build_busy_error(thread_id, _read_holder(path))
    with ExitStack() as held:
        held.callback(_release_lock, path, lock)
        database = paths.locate_database(home)
        number = _take_number(held, database, thread_id)
        _logger.info("lease %d acquired: thread %s", number, thread_id)
        yield
    _logger.info("lease released: thread %s", thread_id)


def find_holder(home: Path, thread_id: str) -> LeaseHolder | None:
    """Return the process that runs the thread; None if there is none."""
    database = paths.locate_database(home)
    if find_server(database):
        from .server_lease import read_holder

        prepare_database(database)
        fields = read_holder(database, validate_thread_id(thread_id))
        return LeaseHolder(**fields) if fields else None
    path = get_lock_path(home, thread_id)
    try:
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None  # left by a killed process
    except BlockingIOError:
        return _read_holder(path) or LeaseHolder(pid=0, host="", command="", since=0)
    finally:
        os.close(lock)


def find_holders(home: Path, threads: Collection[str]) -> dict[str, LeaseHolder]:
    """Return the process of each of the threads that one runs."""
    database = paths.locate_database(home)
    if threads and find_server(database):
        from .server_lease import read_holders

        held = read_holders(database, threads)
        return {thread_id: LeaseHolder(**fields) for thread_id, fields in held.items()}
    holders = dict[str, LeaseHolder]()
    for thread_id in threads:
        with suppress(UsageError):  # an id of another client, which has no lease
            if holder := find_holder(home, thread_id):
                holders[thread_id] = holder
    return holders


def describe_own_address() -> str:
    """Return this process as `LeaseHolder.address` has it."""
    return _describe_this_process().address


def ensure_not_held(home: Path, thread_id: str) -> None:
    """Raise ThreadBusyError if a process runs the thread now; another may take it right after."""
    if holder := find_holder(home, thread_id):
        raise _build_busy_error(thread_id, holder)


def get_lock_path(home: Path, thread_id: str) -> Path:
    """Return the path of the thread's lock file, which exists while it is held."""
    return ensure_data_folder(home) / "leases" / f"{validate_thread_id(thread_id)}.lock"


def _take_number(held: ExitStack, database: Path, thread_id: str) -> int:
    if find_server(database):
        prepare_database(database)
        number = _take_from_server(held, database, thread_id)
    else:
        if not database.exists():
            prepare_database(database)
        with translate_sqlite_errors(database), closing(connect(database)) as connection:
            # without waiting for the disk: a power cut ends every holder, too
            connection.execute("PRAGMA synchronous = NORMAL")
            with begin_transaction(connection):
                number = take_lease_number(connection, thread_id)
        keep_lease_number(database, thread_id, number)
    held.callback(drop_lease_number, database, thread_id, number)
    return number


def _take_from_server(held: ExitStack, database: Path, thread_id: str) -> int:
    from .server_lease import end_lease, take_lease

    lease = take_lease(database, thread_id, asdict(_describe_this_process()))
    if not isinstance(lease, int):
        raise _build_busy_error(thread_id, LeaseHolder(**lease))
    held.callback(end_lease, database, thread_id, lease)
    return lease


def _release_lock(path: Path, lock: int) -> None:
    if _is_at(path, lock):  # else it was deleted, and another process may hold its successor
        path.unlink()  # while still locked: nobody else uses the file
    os.close(lock)


def _try_lock(path: Path) -> int | None:
    """Return a descriptor of the locked file with our data; None if another process holds it.

    It retries a few times, because `find_holder` locks for a moment, and because the locked file
    may have been deleted in between: such a lock would keep nobody out.
    """
    for _ in range(10):
        with ExitStack() as undo:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            undo.callback(os.close, lock)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.01)
                continue
            if _is_at(path, lock):
                os.ftruncate(lock, 0)
                os.pwrite(lock, json.dumps(asdict(_describe_this_process())).encode(), 0)
                undo.pop_all()
                return lock
    return None


def _is_at(path: Path, lock: int) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False


def _build_busy_error(thread_id: str, holder: LeaseHolder | None) -> ThreadBusyError:
    if holder and (holder.pid, holder.host) == (os.getpid(), _HOST):
        return ThreadBusyError(
            text("thread `{thread_id}` runs in this program already", thread_id=thread_id),
            hint="wait until its run ends, or stop that run",
        )
    if holder and holder.pid:
        holder_name = text(
            "process {pid} on {host} since {started}",
            pid=holder.pid,
            host=holder.host,
            started=holder.clock,
        )
    else:
        holder_name = "another process"
    stop = (
        text(", or stop it with `kill {pid}`", pid=holder.pid)
        if holder and holder.host == _HOST
        else ""
    )
    return ThreadBusyError(
        text("thread `{thread_id}` is in use by {holder}", thread_id=thread_id, holder=holder_name),
        hint=text(
            "wait until it ends{stop}; then run `mcode resume {thread_id}`",
            stop=stop,
            thread_id=thread_id,
        ),
    )


def _describe_this_process() -> LeaseHolder:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])
    return LeaseHolder(pid=os.getpid(), host=_HOST, command=command, since=time.time())


def _read_holder(path: Path) -> LeaseHolder | None:
    """Read the lock file; None if it is deleted or not written yet."""
    try:
        return LeaseHolder(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def has_crashed(home: Path, thread_id: str) -> bool:
    """Return whether the thread counts as running; only its holder knows that it does not run."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        query = "SELECT status FROM threads WHERE thread_id = ?"
        return connection.execute(query, (thread_id,)).fetchone() == ("running",)
