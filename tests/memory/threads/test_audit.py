"""The chain of an audit, and what breaks it."""

import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.memory.journal import Journal
from maxagent.memory.threads.audit import (
    add_record,
    delete_records,
    digest_result,
    locate_audit,
    read_records,
    verify_audit,
)

THREAD = "0f0e0d0c-0b0a-4908-8706-050403020100"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose thread has run three calls."""
    journal = Journal(paths.locate_database(tmp_path))
    for number in range(3):
        call = f"call-{number}"
        journal.begin_call(THREAD, call, "run_command")
        add_record(tmp_path, THREAD, "started", {"call": call, "rule": "mode"})
        journal.finish_call(THREAD, call, {"output": call})
        result = digest_result(json.dumps({"output": call}))
        add_record(tmp_path, THREAD, "finished", {"call": call, "result": result})
    journal.close()
    return tmp_path


def verify(home: Path) -> tuple[str, ...]:
    return verify_audit(home, THREAD, paths.locate_database(home)).problems


def test_a_whole_audit_has_no_problem(home: Path) -> None:
    report = verify_audit(home, THREAD, paths.locate_database(home))
    assert (report.count, report.problems) == (6, ())
    assert [*read_records(home, THREAD)][-1]["hash"] == report.head


def change(old: str, new: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [line.replace(old, new) for line in lines]


FAULTS: dict[str, Callable[[list[str]], list[str]]] = {
    "a rule": change('"rule":"mode"', '"rule":"deny"'),
    "a time": change('"time":"2', '"time":"3'),
    "a missing line": lambda lines: [*lines[:2], *lines[3:]],
    "a missing first line": lambda lines: lines[1:],
    "two lines in another order": lambda lines: [lines[1], lines[0], *lines[2:]],
    "a line twice": lambda lines: [*lines, lines[-1]],
    "a line of another program": lambda lines: [*lines, "hello"],
    "a field more": lambda lines: [lines[0].replace("{", '{"x":1,', 1), *lines[1:]],
    "another hash": lambda lines: [*lines[:-1], lines[-1].replace('"hash":"', '"hash":"0')],
    "another number": change('"n":2', '"n":9'),
}


@pytest.mark.parametrize("fault", [*FAULTS])
def test_a_changed_line_is_found(home: Path, fault: str) -> None:
    file = locate_audit(home, THREAD)
    lines = FAULTS[fault](file.read_text().splitlines())
    file.write_text("".join(f"{line}\n" for line in lines))
    assert verify(home)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE journal SET result = '{}' WHERE call_id = 'call-1'", "another result"),
        ("DELETE FROM journal WHERE call_id = 'call-2'", "lacks the call"),
        ("UPDATE journal SET state = 'started' WHERE call_id = 'call-0'", "lacks the call"),
    ],
)
def test_a_changed_journal_is_found(home: Path, change: str, problem: str) -> None:
    import sqlite3

    with sqlite3.connect(paths.locate_database(home)) as connection:
        connection.execute(change)
    [report] = verify(home)
    assert problem in report


def test_half_a_line_of_a_kill_is_dropped(home: Path) -> None:
    with locate_audit(home, THREAD).open("a") as file:
        file.write('{"n":7,"kind":"sta')
    add_record(home, THREAD, "started", {"call": "next"})
    assert verify(home) == ()


def test_a_question_is_recorded_once(home: Path) -> None:
    for name in ("a", "a", "b", "a"):
        add_record(home, THREAD, "asked", {"shown": "x" * 100_000}, once=name)
    assert verify(home) == ()
    asked = [each["once"] for each in read_records(home, THREAD) if each["kind"] == "asked"]
    assert asked == ["a", "b"]


def add_many(home: Path) -> None:
    for _ in range(20):
        add_record(home, THREAD, "started", {"call": "x"})


def test_two_processes_write_one_chain(home: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=add_many, args=(home,)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    report = verify_audit(home, THREAD, paths.locate_database(home))
    assert (report.count, report.problems) == (46, ())


def test_it_is_private_and_goes_with_its_thread(home: Path) -> None:
    file = locate_audit(home, THREAD)
    assert file.stat().st_mode & 0o777 == 0o600
    delete_records(home, THREAD)
    assert not file.exists() and [*read_records(home, THREAD)] == []
