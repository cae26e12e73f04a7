from dataclasses import replace

import pytest

from maxagent.cli.prompts.picker import PickerState
from maxagent.cli.prompts.thread_picker import rank_threads
from maxagent.cli.prompts.thread_watch import build_cells, sort_threads
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
