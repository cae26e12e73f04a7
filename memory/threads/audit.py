"""The audit of a thread: what was asked, answered and run; each line seals the one before.

Lines are only added. A line's hash is over its fields and the hash before it, so a changed, missing
or added line breaks the chain; the results of calls are compared with the journal.
"""

import fcntl
import hashlib
import json
import os
import pwd
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

from ...config.errors import MaxAgentError
from ...config.paths import ensure_data_folder, find_request_logs
from ...config.settings.early_settings import find_storage
from ...config.text import text
from ..database.connection import connect, translate_sqlite_errors
from .thread_id import is_thread_id, validate_thread_id

AuditKind = Literal["asked", "answered", "started", "finished"]
AuditRecord = dict[str, Any]
# Bytes from the end that mostly hold the last line
_TAIL = 32_768
# Bytes from the end that hold the questions of a step which runs again
_RECENT = 2**20


def locate_audit(home: Path, thread_id: str) -> Path:
    """Return the file of a thread's audit; it may not exist."""
    validate_thread_id(thread_id)
    return ensure_data_folder(home) / "audit" / f"{thread_id}.jsonl"


def add_record(
    home: Path, thread_id: str, kind: AuditKind, fields: Mapping[str, object], *, once: str = ""
) -> None:
    """Add a record; with `once` only if the thread has none of this kind and name."""
    file = locate_audit(home, thread_id)
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _append(descriptor, kind, fields, once)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise MaxAgentError(
            text(
                "the audit `{file}` cannot be written: {reason}", file=file, reason=error.strerror
            ),
            hint="free disk space, or make it a file that you can write",
        ) from error


def read_records(home: Path, thread_id: str) -> Iterator[AuditRecord]:
    """Yield the records; a line that is not one is yielded as `{"damaged": LINE}`."""
    with suppress(FileNotFoundError), locate_audit(home, thread_id).open("rb") as lines:
        for line in lines:
            yield _parse_line(line)


def digest_result(content: str) -> str:
    """Return the digest of a result as the journal keeps it."""
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True)
class AuditReport:
    """What a check of a thread's audit has found."""

    count: int
    head: str
    """The hash of the last record: with a copy of it elsewhere, nobody can write another chain."""
    problems: tuple[str, ...]


def verify_audit(home: Path, thread_id: str, database: Path) -> AuditReport:
    """Check the chain, and that the journal has the results that are on record."""
    problems, head, number = list[str](), "", 0
    finished = dict[str, str]()
    for number, record in enumerate(read_records(home, thread_id), 1):
        expected = _seal({**record, "prev": head}) if "damaged" not in record else ""
        if record.get("hash") != expected or record.get("n") != number or not expected:
            problems.append(text("line {number} was changed, added or moved", number=number))
        head = str(record.get("hash", ""))
        if record.get("kind") == "finished":
            finished[str(record.get("call"))] = str(record.get("result"))
    stored = _read_results(database, thread_id)
    for call, digest in finished.items():
        if call not in stored:
            problems.append(text("the journal lacks the call `{call}`", call=call))
        elif stored[call] != digest:
            problems.append(text("the journal has another result of the call `{call}`", call=call))
    return AuditReport(number, head, tuple(problems))


def delete_records(home: Path, thread_id: str) -> None:
    """Delete the logs and the audit of a thread that is deleted, and what other machines find."""
    if storage := find_storage(home):
        from ..snapshots.shared_storage import delete_shared

        delete_shared(storage, thread_id)
    for log in find_request_logs(home, thread_id):
        log.unlink(missing_ok=True)
    if is_thread_id(thread_id):
        locate_audit(home, thread_id).unlink(missing_ok=True)


def _append(descriptor: int, kind: AuditKind, fields: Mapping[str, object], once: str) -> None:
    size = os.fstat(descriptor).st_size
    tail = _read_tail(descriptor, size)
    complete, _, torn = tail.rpartition(b"\n")
    if torn:  # of a killed process
        size -= len(torn)
        os.ftruncate(descriptor, size)
    if once and f'"once":{json.dumps(once)}'.encode() in os.pread(
        descriptor, _RECENT, max(0, size - _RECENT)
    ):
        return
    last = _parse_line(complete.rpartition(b"\n")[2]) if complete else {}
    record: AuditRecord = {
        "n": int(last.get("n", 0)) + 1,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "kind": kind,
        **fields,
        **({"once": once} if once else {}),
        "prev": last.get("hash", ""),
    }
    line = json.dumps({**record, "hash": _seal(record)}, separators=(",", ":"), default=str)
    os.pwrite(descriptor, line.encode(errors="backslashreplace") + b"\n", size)


def _read_tail(descriptor: int, size: int) -> bytes:
    """Read from the end at least the last whole line, and what follows it."""
    length = _TAIL
    while True:
        tail = os.pread(descriptor, length, max(0, size - length))
        if length >= size or tail.count(b"\n") > 1:
            return tail
        length *= 8


def _seal(record: Mapping[str, object]) -> str:
    fields = {name: value for name, value in record.items() if name != "hash"}
    content = json.dumps(fields, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(content.encode(errors="backslashreplace")).hexdigest()


def _parse_line(line: bytes) -> AuditRecord:
    try:
        record: object = json.loads(line)
    except ValueError:
        record = None
    if isinstance(record, dict):
        return cast("AuditRecord", record)
    return {"damaged": line.decode(errors="replace").strip()}


def _read_results(database: Path, thread_id: str) -> dict[str, str]:
    query = "SELECT call_id, result FROM journal WHERE thread_id = ? AND state = 'done'"
    with translate_sqlite_errors(database), closing(connect(database)) as connection:
        rows = connection.execute(query, (thread_id,)).fetchall()
    return {call: digest_result(result or "") for call, result in rows}


def describe_user() -> dict[str, object]:
    """Return who runs this process, for a record of an answer."""
    user = os.getuid()
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = str(user)
    return {"user": name, "uid": user, "host": socket.gethostname(), "pid": os.getpid()}
