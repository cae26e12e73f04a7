"""The audit of a thread: what was asked, answered and run; each record seals the one before.

Records are only added, in the transaction of the journal's mark where there is one. A record's hash
is over its fields and the hash before it. The end is kept three times: in a row of its own, by the
journal, which has the same calls, and in a file of each machine that wrote. Older versions wrote a
file of lines; the first record after it seals its end.
"""

import hashlib
import json
import logging
import os
import pwd
import socket
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from ..config.errors import MaxAgentError
from ..config.paths import ensure_data_folder
from .database.connection import connect, find_server, translate_sqlite_errors
from .transaction import begin_thread_write, get_lease_number

AuditKind = Literal["asked", "answered", "started", "finished", "continued"]
AuditRecord = dict[str, Any]
_logger = logging.getLogger(__name__)
# Records from the end that hold the questions of a step which runs again
_RECENT = 1000
# The records are rows of the journal, whose tables need no migration: `docs/decisions/0074`
AUDIT_PREFIX = "audit "
AUDIT_ROWS = """
    call_id >= 'audit ' AND call_id < 'audit!'"""
END_ROW = "audit 000000000000"
_ENDS = (
    "SELECT call_id, result FROM journal WHERE thread_id = :thread AND (call_id = :end OR call_id ="
    f" (SELECT MAX(call_id) FROM journal WHERE thread_id = :thread AND {AUDIT_ROWS}))"
)
_HAS = (
    f"SELECT 1 FROM journal WHERE thread_id = ? AND {AUDIT_ROWS} AND call_id > ?"
    " AND result LIKE ? LIMIT 1"
)
# A record is never replaced, only the row of the end
_ADD = (
    "INSERT INTO journal (thread_id, call_id, tool, effectful, state, result, started_at, pid)"
    " VALUES (:thread, :row, 'audit', 0, 'started', :record, '', 0),"
    " (:thread, :end, 'audit', 0, 'started', :last, '', 0)"
    " ON CONFLICT (thread_id, call_id) DO UPDATE SET result = excluded.result"
    " WHERE journal.call_id = :end"
)
_READ = "SELECT result FROM journal WHERE thread_id = ? AND call_id = ?"
# Bytes that a machine notes of a chain's end, and more
_NOTE_BYTES = 1000
# Threads whose file of an older version this process has sealed
_sealed: set[tuple[Path, str]] = set()


class ChainEnd(NamedTuple):
    """The last record of a chain: its number and hash."""

    number: int
    hash: str


class AuditChain:
    """Adds records to the audit of a thread in an open transaction."""

    def __init__(self, connection: sqlite3.Connection, database: Path, thread_id: str) -> None:
        self._connection, self._database, self._thread = connection, database, thread_id
        self._added = list[ChainEnd]()
        self._before = ChainEnd(0, "")
        self._has_older_file = False

    def add(self, kind: AuditKind, fields: Mapping[str, object], *, once: str = "") -> None:
        """Add a record; with `once` only if the thread has none of this kind and name."""
        self._seal_older_file()
        self._append(kind, fields, once)

    def keep_witness(self) -> None:
        """Note on this machine the last record, if it follows what the machine has noted before."""
        if not self._added:
            return
        if self._has_older_file:
            _sealed.add((self._database, self._thread))
        file = locate_witness(self._database, self._thread)
        try:
            _advance_witness(self._connection, file, self._thread, [self._before, *self._added])
        # the records are kept, and the older note still holds
        except (OSError, sqlite3.Error, MaxAgentError) as error:
            _logger.warning("the end of the audit is not noted here: %s", error)

    def _append(self, kind: AuditKind, fields: Mapping[str, object], once: str) -> None:
        end = _read_end(self._connection, self._thread)
        if once and self._has(once, end.number):
            return
        record: AuditRecord = {
            "n": end.number + 1,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "kind": kind,
            **fields,
            **({"once": once} if once else {}),
            "lease": get_lease_number(self._database, self._thread) or 0,
            "prev": end.hash,
        }
        sealed = ChainEnd(end.number + 1, seal_record(record))
        line = _dump({**record, "hash": sealed.hash})
        values = {
            "thread": self._thread,
            "row": name_row(sealed.number),
            "record": line,
            "end": END_ROW,
            "last": _dump(sealed._asdict()),
        }
        self._connection.execute(_ADD, values)
        if not self._added:
            self._before = end
        self._added.append(sealed)

    def _has(self, once: str, last: int) -> bool:
        pattern = f'%"once":{json.dumps(once)}%'
        values = (self._thread, name_row(max(0, last - _RECENT)), pattern)
        return self._connection.execute(_HAS, values).fetchone() is not None

    def _seal_older_file(self) -> None:
        file = locate_older_file(self._database, self._thread)
        if (self._database, self._thread) in _sealed or not file.exists():
            return
        self._has_older_file = True
        lines = [*read_older_file(file)]
        head = str(lines[-1].get("hash", "")) if lines else ""
        fields = {"file": str(file), "lines": len(lines), "head": head, "host": find_host()}
        self._append("continued", fields, f"{head} {find_host()}")


@contextmanager
def begin_audited_write(
    connection: sqlite3.Connection, database: Path, thread_id: str
) -> Generator[AuditChain]:
    """Begin a write transaction on a thread that may add records to its audit."""
    chain = AuditChain(connection, database, thread_id)
    with begin_thread_write(connection, database, thread_id):
        yield chain
    chain.keep_witness()


def add_record(
    database: Path, thread_id: str, kind: AuditKind, fields: Mapping[str, object], *, once: str = ""
) -> None:
    """Add a record in a transaction of its own; with `once` only if there is none of this name."""
    with (
        translate_sqlite_errors(database),
        closing(connect(database)) as connection,
        begin_audited_write(connection, database, thread_id) as chain,
    ):
        chain.add(kind, fields, once=once)


def digest_result(content: str) -> str:
    """Return the digest of a result as the journal keeps it."""
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


def locate_older_file(database: Path, thread_id: str) -> Path:
    """Return the file of records that older versions wrote; it may not exist."""
    return database.parent / "audit" / f"{thread_id}.jsonl"


def locate_witness(database: Path, thread_id: str) -> Path:
    """Return the file in which this machine notes the last record that it wrote to a database."""
    url = find_server(database)
    digest = hashlib.sha256(url.rpartition("@")[2].encode()).hexdigest()[:8] if url else "file"
    return database.parent / "audit" / f"{thread_id}.{digest}.end"


def describe_user() -> dict[str, object]:
    """Return who runs this process, for a record of an answer."""
    user = os.getuid()
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = str(user)
    return {"user": name, "uid": user, "host": find_host(), "pid": os.getpid()}


def find_host() -> str:
    """Return the name of this machine."""
    return socket.gethostname()


def _read_end(connection: sqlite3.Connection, thread_id: str) -> ChainEnd:
    """Return the end of the chain; where its row and the last record differ, no hash fits."""
    rows = dict(connection.execute(_ENDS, {"thread": thread_id, "end": END_ROW}).fetchall())
    if not rows:
        return ChainEnd(0, "")
    noted, last = _parse_end(rows.get(END_ROW, "")), max(rows)
    if last != END_ROW and last == name_row(noted.number):
        return noted
    digits = last.removeprefix(AUDIT_PREFIX)
    return ChainEnd(max(int(digits) if digits.isdecimal() else 0, noted.number), "")


def name_row(number: int) -> str:
    """Return the name of a record's row, which sorts by its number."""
    return f"{AUDIT_PREFIX}{number:012}"


def to_chain_end(record: AuditRecord, name: str) -> ChainEnd:
    """Return the hash of a record, and the number that has this name; 0: it has none."""
    number, sealed = record.get(name), record.get("hash")
    return ChainEnd(number if isinstance(number, int) else 0, str(sealed or ""))


def read_older_file(file: Path) -> Iterator[AuditRecord]:
    """Yield the records that an older version wrote."""
    with suppress(FileNotFoundError), file.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):  # else of a killed process
                yield parse_record(line.decode(errors="replace"))


def seal_record(record: Mapping[str, object]) -> str:
    """Return the hash over all fields but `hash`."""
    content = _dump(
        {name: value for name, value in record.items() if name != "hash"}, is_sorted=True
    )
    return hashlib.sha256(content.encode(errors="backslashreplace")).hexdigest()


def _dump(record: Mapping[str, object], *, is_sorted: bool = False) -> str:
    return json.dumps(record, sort_keys=is_sorted, separators=(",", ":"), default=str)


def parse_record(line: str | None) -> AuditRecord:
    """Return a record; `{"damaged": TEXT}` if it is none."""
    try:
        record: object = json.loads(line or "")
    except ValueError:
        record = None
    if isinstance(record, dict):
        return cast("AuditRecord", record)
    return {"damaged": str(line).strip()}


def read_witness(file: Path) -> ChainEnd:
    """Return what this machine has noted; the number 0: nothing."""
    with suppress(OSError):
        return _parse_end(file.read_text(errors="replace"))
    return ChainEnd(0, "")


def _advance_witness(
    connection: sqlite3.Connection, file: Path, thread_id: str, added: Sequence[ChainEnd]
) -> None:
    """Note the last of what was added, unless the chain lacks what is noted already."""
    descriptor = _open_witness(file)
    try:
        noted = _parse_end(os.read(descriptor, _NOTE_BYTES).decode(errors="replace"))
        if noted.number and noted not in added:
            row = connection.execute(_READ, (thread_id, name_row(noted.number))).fetchone()
            if row is None or to_chain_end(parse_record(row[0]), "n") != noted:
                return
        content = f"{_dump(added[-1]._asdict())}\n".encode()
        os.ftruncate(descriptor, os.pwrite(descriptor, content, 0))
    finally:
        os.close(descriptor)


def _open_witness(file: Path) -> int:
    """Open the file, and make its folder where that is missing: the usual mark makes none."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        return os.open(file, flags, 0o600)
    except FileNotFoundError:
        ensure_data_folder(file.parents[2])
        file.parent.mkdir(mode=0o700, exist_ok=True)
        return os.open(file, flags, 0o600)


def _parse_end(line: str) -> ChainEnd:
    return to_chain_end(parse_record(line), "number")
