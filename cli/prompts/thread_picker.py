"""Picker of a thread."""

from collections.abc import Sequence

from ...memory.threads.record import ThreadRow
from ..i18n.catalogs import t
from ..rendering.humanize import format_age
from ..rendering.listings.threads import SHORT_ID, format_title
from ..rendering.table import NARROW
from .picker import pick_item, rank_by_text


def pick_thread(rows: Sequence[ThreadRow]) -> ThreadRow | None:
    """Return the thread that the user selects; None if they leave. Needs a terminal."""
    return pick_item(rows, rank_threads, build_cells)


def rank_threads(rows: Sequence[ThreadRow], typed: str) -> list[ThreadRow]:
    """Return the threads that match the typed text, best first."""
    return rank_by_text(
        rows,
        typed,
        lambda row: f"{row.thread_id[:SHORT_ID]} {row.name} {row.title} {row.request}",
        lambda row: f"{row.name} {row.title}",
    )


def build_cells(rows: Sequence[ThreadRow], columns: int) -> list[list[str]]:
    """Return one row of cells for each thread; on a narrow screen only age and title."""
    cells = [[format_age(row.updated_at), format_title(row)] for row in rows]
    if columns < NARROW:
        return cells
    status = [t(f"threads.status.{row.status}") for row in rows]
    return [
        [row.thread_id[:SHORT_ID], word, *cell]
        for row, word, cell in zip(rows, status, cells, strict=True)
    ]
