"""The chain of an audit in both databases, and what breaks it."""

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from postgres_server import PostgresServer

from maxagent.config import paths
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.audit import (
    add_record,
    locate_older_file,
    locate_witness,
)
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.memory.database.copy import copy_database
from maxagent.memory.journal import Journal
from maxagent.memory.threads.audit import read_records, verify_audit
from maxagent.memory.threads.rows import delete_records
from maxagent.memory.transaction import begin_transaction, keep_lease_number, take_lease_number

THREAD = "0f0e0d0c-0b0a-4908-8706-050403020100"
OLDER = Path(__file__).parents[2] / "fixtures" / "older_audit.jsonl"


def run_call(database: Path, call: str) -> None:
    journal = Journal(database)
    journal.begin_call(THREAD, call, "run_command", audit={"rule": "mode"})
    journal.finish_call(THREAD, call, {"output": call}, is_audited=True)
    journal.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A database whose thread has run three calls and asked a question."""
    if request.param == "sqlite":
        monkeypatch.delenv("LLC_DATABASE", raising=False)
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        monkeypatch.setenv("LLC_DATABASE", server.create_schema())
    path = paths.locate_database(tmp_path / "home")
    for number in range(3):
        run_call(path, f"call-{number}")
    add_record(path, THREAD, "asked", {"shown": "May I?"})
    add_record(path, THREAD, "answered", {"answer": "yes"})
    return path


def locate_other_machine(database: Path) -> Path:
    """The database as a machine sees it that has written nothing, if it has one."""
    return (
        database
        if not os.environ.get("LLC_DATABASE")
        else database.parents[2] / "b/data/threads.db"
    )


def change(database: Path, *statements: str) -> None:
    with closing(connect(database)) as connection, begin_transaction(connection):
        for statement in statements:
            connection.execute(statement)


def verify(database: Path) -> tuple[str, ...]:
    return verify_audit(database, THREAD).problems


def test_a_whole_audit_has_no_problem(database: Path) -> None:
    report = verify_audit(database, THREAD)
    assert (report.count, report.problems, report.witness) == (8, (), 8)
    records = [*read_records(database, THREAD)]
    assert records[-1]["hash"] == report.head
    kinds = ["started", "finished"] * 3 + ["asked", "answered"]
    assert [record["kind"] for record in records] == kinds


def at(*numbers: int) -> str:
    rows = ", ".join(f"'audit {number:012}'" for number in numbers)
    return f"WHERE call_id IN ({rows})"


def move(old: int, new: int) -> str:
    return f"UPDATE journal SET call_id = 'audit {new:012}' {at(old)}"


def swap(first: int, second: int) -> tuple[str, ...]:
    return move(first, 99), move(second, first), move(99, second)


def replace(number: int, old: str, new: str) -> tuple[str, ...]:
    return (f"UPDATE journal SET result = REPLACE(result, '{old}', '{new}') {at(number)}",)


def put(number: int, record: str) -> tuple[str, ...]:
    return (f"UPDATE journal SET result = {record} {at(number)}",)


def remove(*numbers: int) -> str:
    return f"DELETE FROM journal {at(*numbers)}"


COPY = (
    "INSERT INTO journal SELECT thread_id, 'audit 000000000009', tool, effectful, state, result,"
    f" started_at, finished_at, pid, question FROM journal {at(8)}"
)
FAULTS: dict[str, tuple[str, ...]] = {
    "another rule": replace(1, '"rule":"mode"', '"rule":"deny"'),
    "another answer": replace(8, '"answer":"yes"', '"answer":"no"'),
    "another time": replace(3, '"time":"2', '"time":"3'),
    "another lease": replace(3, '"lease":0', '"lease":7'),
    "another hash": replace(4, '"hash":"', '"hash":"0'),
    "another number in the record": replace(2, '"n":2', '"n":9'),
    "a field more": replace(1, '"kind"', '"x":1,"kind"'),
    "a record that is none": put(5, "'hello'"),
    "a record that is empty": put(5, "NULL"),
    "the first record removed": (remove(1),),
    "a record removed": (remove(3),),
    "a record removed, the gap closed": (remove(3), *(move(n, n - 1) for n in range(4, 9))),
    "two records in another order": swap(1, 2),
    "two later records in another order": swap(5, 8),
    "a record twice": (COPY,),
    "a record copied over another": put(3, f"(SELECT result FROM journal {at(4)})"),
    "a record of another number": (move(8, 12),),
    "the last record removed": (remove(8),),
    "the last three records removed": (remove(6, 7, 8),),
    "every record removed": (remove(*range(1, 9)),),
    "the row of the end removed": (remove(0),),
    "the row of the end changed": replace(0, '"number":8', '"number":7'),
    "the row of the end is none": put(0, "'x'"),
}


@pytest.mark.parametrize("fault", [*FAULTS])
def test_a_changed_record_is_reported(database: Path, fault: str) -> None:
    change(database, *FAULTS[fault])
    assert verify(database)
    other = locate_other_machine(database)
    assert verify(other)
    run_call(other, "next")  # a run that goes on hides nothing
    add_record(database, THREAD, "asked", {"shown": "And now?"})
    hides_only_itself = fault.startswith("the row of the end")
    assert verify(database) or hides_only_itself
    assert verify(other) or hides_only_itself


JOURNAL_FAULTS = {
    "another result": (
        "UPDATE journal SET result = '{}' WHERE call_id = 'call-1'",
        "the journal has another result of the call `call-1`",
    ),
    "a call removed": (
        "DELETE FROM journal WHERE call_id = 'call-2'",
        "the journal lacks the call `call-2`",
    ),
    "a call not ended": (
        "UPDATE journal SET state = 'started' WHERE call_id = 'call-0'",
        "the journal lacks the call `call-0`",
    ),
    "a call added": (
        "INSERT INTO journal SELECT thread_id, 'new', tool, 1, state, result, '3000',"
        " finished_at, pid, question FROM journal WHERE call_id = 'call-0'",
        "the call `new` is in the journal alone",
    ),
}


@pytest.mark.parametrize("fault", [*JOURNAL_FAULTS])
def test_a_changed_journal_is_reported(database: Path, fault: str) -> None:
    statement, problem = JOURNAL_FAULTS[fault]
    change(database, statement)
    assert verify(database) == (problem,)


def cut(database: Path, last: int) -> None:
    """Cut the chain with its end as somebody does who knows how it is kept."""
    *_, record = [*read_records(database, THREAD)][:last]
    end = json.dumps({"number": last, "hash": record["hash"]})
    change(database, remove(*range(last + 1, 9)), *put(0, f"'{end}'"))


def test_a_cut_with_its_end_is_seen_by_writers(database: Path) -> None:
    cut(database, 6)
    [problem] = verify(database)
    assert "record 8, which this machine has noted, is missing" in problem
    for _ in range(4):
        add_record(database, THREAD, "asked", {"shown": "And now?"})
    [problem] = verify(database)
    assert "record 8" in problem


def test_a_chain_written_anew_is_seen_by_writers(database: Path) -> None:
    other = locate_other_machine(database)
    change(database, remove(*range(9)))
    for number in range(9):
        add_record(other, THREAD, "started", {"call": f"call-{number % 3}"})
    [problem] = [each for each in verify(database) if "record" in each]
    assert "record 8, which this machine has noted, is missing or another one" in problem
    is_other = other != database
    report = verify_audit(other, THREAD)
    assert (report.witness, any("record 8" in each for each in report.problems)) == (
        (9, False) if is_other else (8, True)
    )


def test_a_cut_call_is_seen_in_the_journal(database: Path) -> None:
    cut(database, 4)
    locate_witness(database, THREAD).unlink()
    assert verify(database) == ("the call `call-2` is in the journal alone",)
    cut(database, 3)
    assert "the call `call-1` is in the journal alone" in verify(database)


def test_a_question_is_recorded_once(database: Path) -> None:
    for name in ("a", "a", "b", "a"):
        add_record(database, THREAD, "asked", {"shown": "x" * 100_000}, once=name)
    assert verify(database) == ()
    asked = [record.get("once") for record in read_records(database, THREAD)]
    assert asked[-2:] == ["a", "b"]


def add_many(database: Path) -> None:
    for _ in range(20):
        add_record(database, THREAD, "started", {"call": "call-0"})


def test_two_machines_write_the_same_chain(database: Path) -> None:
    context = multiprocessing.get_context("spawn")
    machines = [database, locate_other_machine(database)]
    writers = [context.Process(target=add_many, args=(machine,)) for machine in machines]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    for machine in machines:
        report = verify_audit(machine, THREAD)
        assert (report.count, report.problems) == (48, ())
        assert report.witness > 8


def test_who_lost_the_thread_adds_nothing(database: Path) -> None:
    with closing(connect(database)) as connection, begin_transaction(connection):
        number = take_lease_number(connection, THREAD)
        keep_lease_number(database, THREAD, number)
    run_call(database, "mine")
    assert [*read_records(database, THREAD)][-1]["lease"] == number
    change(database, "UPDATE journal SET pid = pid + 1 WHERE call_id = 'lease'")
    late_writes: list[Callable[[], None]] = [
        lambda: run_call(database, "late"),
        lambda: add_record(database, THREAD, "answered", {"answer": "late"}),
    ]
    for write in late_writes:
        with pytest.raises(ThreadBusyError):
            write()
    assert verify_audit(database, THREAD).count == 10
    assert verify(database) == ()


def test_a_mark_that_is_rolled_back_leaves_no_record(database: Path) -> None:
    journal = Journal(database)
    with pytest.raises(LookupError):
        journal.finish_call(THREAD, "never begun", {}, is_audited=True)
    journal.close()
    assert (verify_audit(database, THREAD).count, verify(database)) == (8, ())


@pytest.fixture
def older_home(database: Path) -> Path:
    """A home whose thread an older version has begun, and its journal."""
    change(database, "DELETE FROM journal")
    locate_witness(database, THREAD).unlink()
    journal = Journal(database)
    for call in ("call-0", "call-1"):
        journal.begin_call(THREAD, call, "run_command")
        journal.finish_call(THREAD, call, {"output": call})
    journal.close()
    shutil.copy(OLDER, locate_older_file(database, THREAD))
    return database


def test_the_file_of_an_older_version_is_continued(older_home: Path) -> None:
    report = verify_audit(older_home, THREAD)
    assert (report.count, report.problems, report.witness) == (4, (), 0)
    run_call(older_home, "new")
    run_call(older_home, "newer")
    records = [*read_records(older_home, THREAD)]
    assert verify(older_home) == ()
    assert [record["kind"] for record in records[4:6]] == ["continued", "started"]
    assert (records[4]["head"], records[4]["lines"]) == (records[3]["hash"], 4)


OLDER_FAULTS: dict[str, Callable[[list[str]], list[str]]] = {
    "a rule": lambda lines: [line.replace('"rule":"mode"', '"rule":"deny"') for line in lines],
    "a missing line": lambda lines: [*lines[:2], *lines[3:]],
    "a missing first line": lambda lines: lines[1:],
    "a missing last line": lambda lines: lines[:-1],
    "no line": lambda lines: [],
    "two lines in another order": lambda lines: [lines[1], lines[0], *lines[2:]],
    "a line twice": lambda lines: [*lines, lines[-1]],
    "a line of another program": lambda lines: [*lines, "hello"],
}


@pytest.mark.parametrize("fault", [*OLDER_FAULTS])
def test_a_changed_older_file_is_reported(older_home: Path, fault: str) -> None:
    run_call(older_home, "new")
    file = locate_older_file(older_home, THREAD)
    lines = OLDER_FAULTS[fault](file.read_text().splitlines())
    file.write_text("".join(f"{line}\n" for line in lines))
    assert verify(older_home)
    file.unlink()
    assert verify(older_home)


def test_half_a_line_of_a_kill_is_left_out(older_home: Path) -> None:
    with locate_older_file(older_home, THREAD).open("a") as file:
        file.write('{"n":5,"kind":"sta')
    run_call(older_home, "new")
    assert verify(older_home) == ()


def test_its_files_are_private_and_deleted(older_home: Path) -> None:
    run_call(older_home, "new")
    files = [locate_witness(older_home, THREAD), locate_older_file(older_home, THREAD)]
    assert files[0].stat().st_mode & 0o777 == 0o600
    delete_records(older_home.parents[1], THREAD)
    assert [file.exists() for file in files] == [False, False]


def test_a_copied_database_has_the_same_chain(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LLC_DATABASE", raising=False)
    database = paths.locate_database(tmp_path)
    prepare_database(database)
    run_call(database, "call-0")
    url = postgres.create_schema()
    assert copy_database(str(database), url)["journal"] == 4
    monkeypatch.setenv("LLC_DATABASE", url)
    run_call(database, "call-1")
    assert (verify_audit(database, THREAD).count, verify(database)) == (4, ())


def test_a_disk_that_keeps_no_note_stops_nothing(database: Path) -> None:
    witness = locate_witness(database, THREAD)
    witness.unlink()
    witness.mkdir()
    run_call(database, "next")
    report = verify_audit(database, THREAD)
    assert (report.count, report.problems, report.witness) == (10, (), 0)
