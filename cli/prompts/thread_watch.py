"""The inbox: all threads, what waits for the user first, kept up to date while they look on."""

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...memory.threads.record import OPEN_STATUSES
from ..i18n.catalogs import t
from ..rendering.humanize import format_age
from ..rendering.listings.threads import format_title
from ..rendering.sanitize import sanitize_line
from ..rendering.table import NARROW
from .picker import PickerState, build_picker
from .sync_bridge import run_sync
from .thread_picker import describe_thread, rank_threads

if TYPE_CHECKING:
    from prompt_toolkit.application import Application

    from ...memory.threads.changes import ThreadWatch
    from ...memory.threads.record import ThreadRow

SECONDS = 0.5
"""Between two looks at the database."""


def pick_live(changes: "ThreadWatch", rows: "Sequence[ThreadRow]") -> "ThreadRow | None":
    """Return the thread that the user opens; None if they leave. Needs a terminal that redraws."""
    return run_sync(_run_picker(changes, sort_threads(rows)))


def sort_threads(rows: "Sequence[ThreadRow]") -> "list[ThreadRow]":
    """Sort the threads, most recent first, by what they need: those that wait for the user lead."""
    order = {status: place for place, status in enumerate(OPEN_STATUSES)}
    return sorted(rows, key=lambda row: order.get(row.status, len(order)))


def build_cells(rows: "Sequence[ThreadRow]", columns: int) -> list[list[str]]:
    """Return one row of cells for each thread; on a narrow screen only status and title."""
    if columns < NARROW:
        return [[t(f"threads.status.{row.status}"), format_title(row)] for row in rows]
    return [
        [
            t(f"threads.status.{row.status}"),
            format_age(row.updated_at),
            sanitize_line(Path(row.folder).name),
            format_title(row),
        ]
        for row in rows
    ]


async def _run_picker(changes: "ThreadWatch", rows: "list[ThreadRow]") -> "ThreadRow | None":
    state = PickerState(rows, rank_threads, build_cells)
    describe = cache(describe_thread)
    requests = {row.thread_id: row.request for row in rows}
    picker = build_picker(
        state,
        lambda row: describe(row.thread_id, requests.get(row.thread_id, row.request)),
        heading=t("picker.watch"),
    )
    follower = asyncio.create_task(_follow(changes, state, picker))
    try:
        return await picker.run_async()
    finally:
        follower.cancel()


async def _follow(
    changes: "ThreadWatch",
    state: "PickerState[ThreadRow]",
    picker: "Application[ThreadRow | None]",
) -> None:
    """Show each change of the threads until the picker ends."""
    while True:
        await asyncio.sleep(SECONDS)
        rows = await asyncio.to_thread(changes.read)
        if rows is not None:
            state.replace_items(sort_threads(rows), lambda row: row.thread_id)
            picker.invalidate()
