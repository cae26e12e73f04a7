import asyncio
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput

from maxagent.cli.prompts.picker import PickerState
from maxagent.cli.prompts.thread_picker import rank_threads
from maxagent.cli.prompts.thread_watch import build_cells, follow_changes, sort_threads
from maxagent.config import paths
from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.threads.changes import ThreadWatch
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow, ThreadStatus


def row(number: int, status: ThreadStatus, title: str = "") -> ThreadRow:
    at = f"2026-01-01T00:{60 - number:02}:00+00:00"
    title = title or f"Title {number}"
    return ThreadRow(f"{number:08}", title, "/w/cart", "task", title, status, at, at)


@pytest.mark.parametrize(
    ("statuses", "order"),
    [
        ([], []),
        (["done", "waiting"], [1, 0]),
        (["idle", "running", "waiting"], [2, 1, 0]),
        (["failed", "limit", "interrupted", "running", "waiting"], [4, 3, 1, 2, 0]),
        (["waiting", "done", "waiting"], [0, 2, 1]),
        (["unknown", "undone", "unverified"], [0, 1, 2]),
    ],
)
def test_what_waits_leads(statuses: list[ThreadStatus], order: list[int]) -> None:
    rows = [row(number, status) for number, status in enumerate(statuses)]
    assert [int(each.thread_id) for each in sort_threads(rows)] == order


def test_narrow_list_has_status_and_title() -> None:
    rows = [row(1, "waiting", "One\x1b[31m two")]
    assert [len(cells) for cells in build_cells(rows, 100)] == [4]
    (cells,) = build_cells(rows, 38)
    assert len(cells) == 2 and "\x1b" not in cells[1]


def open_state(rows: list[ThreadRow]) -> PickerState[ThreadRow]:
    return PickerState(rows, rank_threads, build_cells)


ROWS = [row(1, "waiting"), row(2, "running"), row(3, "idle")]


@pytest.mark.parametrize(
    ("rows", "selected"),
    [
        (ROWS, "00000002"),
        (ROWS[::-1], "00000002"),
        ([row(0, "waiting"), *ROWS], "00000002"),
        ([replace(ROWS[1], status="done")], "00000002"),
        ([ROWS[0]], "00000001"),
        ([ROWS[0], ROWS[2]], "00000003"),
    ],
)
def test_selected_thread_stays_selected(rows: list[ThreadRow], selected: str) -> None:
    state = open_state(ROWS)
    state.move(1)
    state.replace_items(rows, lambda row: row.thread_id)
    assert state.selected_item and state.selected_item.thread_id == selected


def test_filter_holds_for_newer_threads() -> None:
    state = open_state(ROWS)
    state.filter("00000003")
    state.replace_items([row(4, "running"), *ROWS], lambda row: row.thread_id)
    assert [each.thread_id for each in state.fitting] == ["00000003"]
    state.replace_items([], lambda row: row.thread_id)
    assert state.selected_item is None


ERRORS: dict[str, Exception | None] = {
    "a locked database": MaxAgentError("the database is locked"),
    "a lost server": UsageError("the server is gone", hint="start it"),
    "a missing table": sqlite3.OperationalError("no such table: threads"),
    "a damaged file": sqlite3.DatabaseError("database disk image is malformed"),
    "a closed connection": sqlite3.ProgrammingError("Cannot operate on a closed database."),
    "a table that is away": None,
}


class FailingWatch(ThreadWatch):
    """A watch whose database fails while there is an error."""

    error: Exception | None = None

    def read(self) -> list[ThreadRow] | None:
        if self.error:
            raise self.error
        return super().read()


@pytest.mark.parametrize("case", ERRORS)
async def test_database_error_is_shown_and_tried_again(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxagent.cli.prompts.thread_watch.SECONDS", 0.0)
    index, state = ThreadIndex(tmp_path), open_state([])

    def record(title: str) -> None:
        texts = {"title": title, "folder": "/p", "graph": "task", "request": "", "options": {}}
        index.record_thread(thread_id=f"{title}-0000-4000-8000-000000000000", **texts)

    async def wait_for(notice: str, count: int) -> None:
        async with asyncio.timeout(60):
            while notice not in state.notice or state.count != count:
                assert not follower.done()
                await asyncio.sleep(0)

    record("one")
    picker = Application[ThreadRow | None](input=DummyInput(), output=DummyOutput())
    with (
        FailingWatch(tmp_path) as changes,
        closing(sqlite3.connect(paths.locate_database(tmp_path))) as connection,
    ):
        follower = asyncio.create_task(follow_changes(changes, state, picker))
        await wait_for("", 1)
        changes.error = ERRORS[case]
        if changes.error is None:
            connection.execute("ALTER TABLE threads RENAME TO away")
        error = changes.error
        reason = (
            error.message if isinstance(error, MaxAgentError) else str(error or "no such table")
        )
        await wait_for(reason, 1)
        changes.error = None
        if ERRORS[case] is None:
            connection.execute("ALTER TABLE away RENAME TO threads")
        record("two")
        await wait_for("", 2)
        assert not state.notice
        follower.cancel()
        with suppress(asyncio.CancelledError):
            await follower
