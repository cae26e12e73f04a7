"""Reading and check of a thread's audit: `../audit.py` writes it."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...config.text import text
from ..audit import (
    AUDIT_ROWS,
    END_ROW,
    AuditRecord,
    ChainEnd,
    digest_result,
    find_host,
    locate_older_file,
    locate_witness,
    name_row,
    parse_record,
    read_older_file,
    read_witness,
    seal_record,
    to_chain_end,
)
from ..database.connection import connect, find_server, translate_sqlite_errors
from .thread_id import validate_thread_id

_PORTION = 500
_READ_ALL = (
    f"SELECT call_id, result FROM journal WHERE thread_id = ? AND {AUDIT_ROWS} ORDER BY call_id"
)
_READ_CALLS = (
    "SELECT call_id, tool, state, result, started_at FROM journal WHERE thread_id = ?"
    f" AND NOT ({AUDIT_ROWS})"
)
# Marks of the journal that are no calls of a model
_WITHOUT_RECORD = ("", "background", "hook", "initiator")


def read_records(database: Path, thread_id: str) -> Iterator[AuditRecord]:
    """Yield the records; one that cannot be read is yielded as `{"damaged": TEXT}`."""
    validate_thread_id(thread_id)
    yield from read_older_file(locate_older_file(database, thread_id))
    with translate_sqlite_errors(database), closing(connect(database)) as connection:
        rows = connection.execute(_READ_ALL, (thread_id,))
        while portion := rows.fetchmany(_PORTION):
            yield from (_parse_row(*each) for each in portion if each[0] != END_ROW)


@dataclass(frozen=True)
class AuditReport:
    """What a check of a thread's audit has found."""

    count: int
    head: str
    """The hash of the last record: with a copy of it elsewhere, nobody can write another chain."""
    problems: tuple[str, ...]
    witness: int
    """The last record that this machine has noted; 0: none, so it cannot vouch for the end."""


def verify_audit(database: Path, thread_id: str) -> AuditReport:
    """Check the chain and its end, and that the journal has the calls and results on record."""
    validate_thread_id(thread_id)
    older = [*read_older_file(locate_older_file(database, thread_id))]
    with translate_sqlite_errors(database), closing(connect(database)) as connection:
        rows = connection.execute(_READ_ALL, (thread_id,)).fetchall()
        calls = connection.execute(_READ_CALLS, (thread_id,)).fetchall()
    records = [_parse_row(row, record) for row, record in rows if row != END_ROW]
    noted = [parse_record(record) for row, record in rows if row == END_ROW]
    witness = read_witness(locate_witness(database, thread_id))
    problems = [
        *_check_chain(older, 0),
        *_check_chain(records, len(older)),
        *_check_end(records, noted[0] if noted else {}, witness),
        *_check_older(older, records, locate_older_file(database, thread_id), database),
        *_check_calls(older, records, calls),
    ]
    chain = [*older, *records]
    head = str(chain[-1].get("hash", "")) if chain else ""
    return AuditReport(len(chain), head, tuple(problems), witness.number)


def _check_chain(records: Sequence[AuditRecord], above: int) -> Iterator[str]:
    head = ""
    for number, record in enumerate(records, 1):
        expected = seal_record({**record, "prev": head}) if "damaged" not in record else ""
        if record.get("hash") != expected or record.get("n") != number or not expected:
            yield text("line {number} was changed, added or moved", number=above + number)
        head = str(record.get("hash", ""))


def _check_end(
    records: Sequence[AuditRecord], noted: AuditRecord, witness: ChainEnd
) -> Iterator[str]:
    last = to_chain_end(records[-1], "n") if records else ChainEnd(0, "")
    if last != to_chain_end(noted, "number"):
        yield text(
            "the end is not the one on record: {number} records were written, {count} are there",
            number=to_chain_end(noted, "number").number or "?",
            count=len(records),
        )
    if witness.number and witness not in (to_chain_end(record, "n") for record in records):
        yield text(
            "record {number}, which this machine has noted, is missing or another one",
            number=witness.number,
        )


def _check_older(
    older: Sequence[AuditRecord], records: Sequence[AuditRecord], file: Path, database: Path
) -> Iterator[str]:
    """Compare the file of an older version with the records that seal its end."""
    for record in records:
        is_own = (record.get("file"), record.get("host")) == (str(file), find_host())
        if record.get("kind") != "continued" or not (is_own or not find_server(database)):
            continue
        count = record.get("lines")
        last = older[count - 1 : count] if isinstance(count, int) and count else older[:0]
        if [each.get("hash") for each in last] != ([record.get("head")] if count else []):
            yield text("`{file}` has not the records that it had", file=file)


def _check_calls(
    older: Sequence[AuditRecord], records: Sequence[AuditRecord], calls: Sequence[Sequence[Any]]
) -> Iterator[str]:
    """Compare the records with the journal, which has the same calls."""
    chain = [*older, *records]
    started = {str(each.get("call")) for each in chain if each.get("kind") == "started"}
    finished = {
        str(each.get("call")): str(each.get("result"))
        for each in chain
        if each.get("kind") == "finished"
    }
    done = {
        call: digest_result(result or "") for call, _, state, result, _ in calls if state == "done"
    }
    for call in sorted(started - {call for call, *_ in calls} | finished.keys() - done.keys()):
        yield text("the journal lacks the call `{call}`", call=call)
    for call in sorted(finished.keys() & done.keys()):
        if finished[call] != done[call]:
            yield text("the journal has another result of the call `{call}`", call=call)
    if not records:
        return
    # what an older version or another home has run is in the journal alone
    since = str(records[0].get("time", ""))
    audited = {
        call
        for call, tool, _, _, started_at in calls
        if started_at >= since and call != "answer" and tool not in _WITHOUT_RECORD
    }
    sealed = {str(each.get("call")) for each in records if each.get("kind") == "started"}
    for call in sorted(audited - started | sealed & done.keys() - finished.keys()):
        yield text("the call `{call}` is in the journal alone", call=call)


def _parse_row(row: str, stored: str | None) -> AuditRecord:
    record = parse_record(stored)
    return record if row == name_row(to_chain_end(record, "n").number) else {"damaged": stored}
