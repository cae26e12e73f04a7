from typing import Any

import pytest

from maxagent.memory.checkpoints.thread_facts import ThreadFacts
from maxagent.memory.threads.record import (
    ThreadRow,
    ThreadStatus,
    build_title,
    from_checkpoint,
    to_store,
    update_from_facts,
)

EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"


def row(status: ThreadStatus) -> ThreadRow:
    return ThreadRow("t", "title", "/p", "task", "request", status, EARLY, EARLY)


def facts(*, waiting: bool, at: str, **more: Any) -> ThreadFacts:
    return ThreadFacts(steps=3, questions=int(waiting), created_at=EARLY, updated_at=at, **more)


@pytest.mark.parametrize(
    ("status", "thread_facts", "is_held", "thread_status"),
    [
        ("running", None, True, "running"),
        ("running", None, False, "interrupted"),
        ("running", facts(waiting=True, at=LATE), False, "interrupted"),
        ("waiting", facts(waiting=True, at=EARLY), False, "waiting"),
        ("waiting", facts(waiting=False, at=LATE), False, "unknown"),
        ("waiting", facts(waiting=False, at=LATE, outcome="new"), False, "unknown"),
        ("waiting", facts(waiting=False, at=LATE, is_pending=True), False, "interrupted"),
        ("done", facts(waiting=False, at=LATE, is_pending=True), True, "running"),
        ("waiting", facts(waiting=False, at=LATE, outcome="verified"), False, "done"),
        ("running", facts(waiting=False, at=LATE, outcome="failed"), False, "interrupted"),
        ("limit", facts(waiting=False, at=LATE, outcome="answered"), False, "idle"),
        ("done", facts(waiting=True, at=LATE), False, "waiting"),
        ("done", facts(waiting=True, at=EARLY), False, "done"),
        ("failed", None, False, "failed"),
    ],
)
def test_status_is_corrected_by_checkpoint_facts(
    status: ThreadStatus,
    thread_facts: ThreadFacts | None,
    is_held: bool,
    thread_status: ThreadStatus,
) -> None:
    assert update_from_facts(row(status), thread_facts, is_held=is_held).status == thread_status


def test_last_use_is_time_of_last_checkpoint() -> None:
    output = update_from_facts(row("running"), facts(waiting=False, at=LATE), is_held=True)
    assert (output.updated_at, output.steps) == (LATE, 3)


@pytest.mark.parametrize(
    ("values", "title", "folder", "options"),
    [
        ({"request": "\n a\nb", "folder": "/p", "options": {"apply": True}}, "a", "/p", None),
        ({}, "", "", {}),
        ({"request": 1, "folder": [], "options": {1: b"", "x": {}}}, "", "", {}),
    ],
)
def test_foreign_thread_is_described_by_its_values(
    values: dict[str, object], title: str, folder: str, options: dict[str, object] | None
) -> None:
    result = from_checkpoint("t", ThreadFacts(), values)
    expected = options if options is not None else values["options"]
    assert (result.title, result.folder, result.options) == (title, folder, expected)


def test_row_is_stored_without_what_is_counted() -> None:
    stored = to_store(row("done"))
    assert "steps" not in stored and stored["evidence"] == "null"


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("", ""),
        ("  \n", ""),
        ("\x1c\u2028\x85", ""),
        ("\n one\ntwo", "one"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
    ],
)
def test_title_is_the_first_line_shortened(request_text: str, title: str) -> None:
    assert build_title(request_text) == title
