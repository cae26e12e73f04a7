import pytest

from maxagent.memory.database.checkpoint_queries import Facts
from maxagent.memory.threads.record import Status, ThreadRow, as_it_is, begun_elsewhere, to_store

EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"


def row(status: Status) -> ThreadRow:
    return ThreadRow("t", "title", "/p", "task", "request", status, EARLY, EARLY)


def facts(*, waiting: bool, at: str) -> Facts:
    return Facts(steps=3, waiting=waiting, created_at=EARLY, updated_at=at)


@pytest.mark.parametrize(
    ("status", "known", "is_held", "shown"),
    [
        ("running", None, True, "running"),
        ("running", None, False, "interrupted"),
        ("running", facts(waiting=True, at=LATE), False, "interrupted"),
        ("waiting", facts(waiting=True, at=EARLY), False, "waiting"),
        ("waiting", facts(waiting=False, at=LATE), False, "unknown"),
        ("done", facts(waiting=True, at=LATE), False, "waiting"),
        ("done", facts(waiting=True, at=EARLY), False, "done"),
        ("failed", None, False, "failed"),
    ],
)
def test_a_status_is_believed_only_as_far_as_the_facts_go(
    status: Status, known: Facts | None, is_held: bool, shown: Status
) -> None:
    assert as_it_is(row(status), known, is_held=is_held).status == shown


def test_a_thread_was_last_used_at_its_last_checkpoint() -> None:
    shown = as_it_is(row("running"), facts(waiting=False, at=LATE), is_held=True)
    assert (shown.updated_at, shown.steps) == (LATE, 3)


@pytest.mark.parametrize(
    ("values", "title", "folder", "options"),
    [
        ({"request": "\n a\nb", "folder": "/p", "options": {"apply": True}}, "a", "/p", None),
        ({}, "", "", {}),
        ({"request": 1, "folder": [], "options": {1: b"", "x": {}}}, "", "", {}),
    ],
)
def test_a_thread_begun_elsewhere_is_described_by_what_it_holds(
    values: dict[str, object], title: str, folder: str, options: dict[str, object] | None
) -> None:
    found = begun_elsewhere("t", Facts(), values)
    expected = options if options is not None else values["options"]
    assert (found.title, found.folder, found.options) == (title, folder, expected)


def test_a_row_is_stored_without_what_is_counted_anew() -> None:
    stored = to_store(row("done"))
    assert "steps" not in stored and stored["evidence"] == "null"
