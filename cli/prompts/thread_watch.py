"""The inbox: all threads, what waits for the user first, kept up to date while they look on."""

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.errors import MaxAgentError
from ...memory.threads.record import OPEN_STATUSES
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..rendering.humanize import format_age
from ..rendering.listings.threads import format_status, format_title
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
_PREVIEWS = 256
# Conversations used last whose last answer is looked at
_RECENT = 50


def pick_live(changes: "ThreadWatch", rows: "Sequence[ThreadRow]") -> "ThreadRow | None":
    """Return the thread that the user opens; None if they leave. Needs a terminal that redraws."""
    return run_sync(_run_picker(changes, sort_threads(mark_questions(rows, changes.home))))


def read_threads(changes: "ThreadWatch") -> "list[ThreadRow] | None":
    """Return the threads as they are listed; None if nothing has changed."""
    rows = changes.read()
    return None if rows is None else sort_threads(mark_questions(rows, changes.home))


def mark_questions(rows: "Sequence[ThreadRow]", home: Path) -> "list[ThreadRow]":
    """Return the threads; a conversation whose last answer ends with a question waits, too."""
    ended = (row for row in rows if row.status == "idle")
    asking = {
        row.thread_id
        for row in islice(ended, _RECENT)
        if _read_question(row.thread_id, home, row.updated_at)
    }
    return [replace(row, status="waiting") if row.thread_id in asking else row for row in rows]


@lru_cache(_PREVIEWS)
def _read_question(thread_id: str, home: Path, _updated_at: str) -> str:
    from ...sdk.streams.history import find_last_question

    return find_last_question(thread_id, home)


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
            format_status(row, set()),
            format_age(row.updated_at),
            sanitize_line(Path(row.folder).name),
            format_title(row),
        ]
        for row in rows
    ]


async def _run_picker(changes: "ThreadWatch", rows: "list[ThreadRow]") -> "ThreadRow | None":
    state = PickerState(rows, rank_threads, build_cells)

    @lru_cache(_PREVIEWS)
    def describe(thread_id: str, request: str, _status: str, _updated_at: str) -> tuple[str, str]:
        return describe_thread(thread_id, request)

    requests = {row.thread_id: row.request for row in rows}
    picker = build_picker(
        state,
        lambda row: describe(
            row.thread_id,
            requests.get(row.thread_id, row.request),
            row.status,
            row.updated_at,
        ),
        heading=t("picker.watch"),
    )
    follower = asyncio.create_task(follow_changes(changes, state, picker))
    try:
        return await picker.run_async()
    finally:
        follower.cancel()


async def follow_changes(
    changes: "ThreadWatch",
    state: "PickerState[ThreadRow]",
    picker: "Application[ThreadRow | None]",
) -> None:
    """Show each change of the threads until the picker ends; say while they cannot be read."""
    while True:
        await asyncio.sleep(SECONDS)
        rows, notice = None, ""
        try:
            rows = await asyncio.to_thread(read_threads, changes)
        except (MaxAgentError, sqlite3.Error) as error:
            reason = error.message if isinstance(error, MaxAgentError) else str(error)
            notice = t("picker.retry", reason=sanitize_line(translate(reason)))
        if rows is not None:
            state.replace_items(rows, lambda row: row.thread_id)
        if rows is not None or notice != state.notice:
            state.notice = notice
            picker.invalidate()
