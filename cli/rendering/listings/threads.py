"""Threads for display: short ID, title, status, table."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from ....config import paths
from ...i18n.catalogs import t
from ..output import echo
from ..sanitize import sanitize_line
from ..table import is_narrow, show_table

if TYPE_CHECKING:
    from ....memory.threads.index import ThreadIndex, ThreadRow

# characters of a thread's id that are shown and suffice to name it
SHORT_ID = 8
# before the title of a fork
FORK = "↳ "


def open_index() -> "ThreadIndex":
    """Open the list of threads; print a notice where a damaged one was replaced."""
    from ....memory.threads.index import ThreadIndex

    index = ThreadIndex()
    if index.set_aside:
        echo(t("threads.damaged", path=index.set_aside), err=True)
    return index


def to_mappings(rows: "list[ThreadRow]", sizes: dict[str, int] | None) -> list[dict[str, object]]:
    """Build the JSON of threads."""
    put_back = find_restored_threads(rows)
    return [
        {
            **asdict(row),
            "files_undone": row.thread_id in put_back,
            **({} if sizes is None else {"size": sizes[row.thread_id]}),
        }
        for row in rows
    ]


def find_restored_threads(rows: "list[ThreadRow]") -> set[str]:
    """Find the ids of those threads whose files `undo` or `rewind` restored last."""
    from ....memory.undo.history import FileHistory

    history = FileHistory(paths.locate_database(paths.locate_home()))
    return history.find_restored_threads([row.thread_id for row in rows])


def show_rows(
    rows: "list[ThreadRow]",
    *,
    with_folder: bool,
    sizes: dict[str, int] | None = None,
    put_back: set[str] | None = None,
) -> None:
    """Print the threads as a table; `put_back` are those whose files were restored, if known."""
    from ..humanize import format_age, format_size

    folder, title = t("threads.folder"), t("threads.title")
    restored = find_restored_threads(rows) if put_back is None else put_back
    columns: dict[str, Callable[[ThreadRow], str]] = {
        "id": lambda row: row.thread_id[:SHORT_ID],
        t("threads.status"): lambda row: format_status(row, restored),
    }
    if not is_narrow():
        columns[t("threads.steps")] = lambda row: str(row.steps)
        columns[t("threads.updated")] = lambda row: format_age(row.updated_at)
    if sizes is not None:
        columns[t("threads.size")] = lambda row: format_size(sizes[row.thread_id])
    if with_folder:
        columns[folder] = lambda row: row.folder
    columns[title] = lambda row: f"{FORK if row.parent else ''}{format_title(row)}"
    cells = [[cell(row) for cell in columns.values()] for row in rows]
    show_table(list(columns), cells, cut=(folder, title))


def format_title(row: "ThreadRow") -> str:
    """Format name and title in one line, safe for a terminal."""
    title = row.title or t("threads.untitled")
    return sanitize_line(f"{row.name} · {title}" if row.name else title)


def format_status(row: "ThreadRow", put_back: set[str]) -> str:
    """Format the status, who runs it, how many questions wait, whether its files were restored."""
    status = t(f"threads.status.{row.status}")
    if row.status == "running" and row.holder:
        status = t("threads.running_on", status=status, holder=sanitize_line(row.holder))
    if row.status == "waiting" and row.questions > 1:
        status = t("threads.waiting", status=status, count=row.questions)
    if row.thread_id in put_back and row.status != "undone":
        return t("threads.files_undone", status=status)
    return status


def format_time(moment: str) -> str:
    """Format a moment as local time to the minute; empty if it is unknown."""
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M") if moment else ""
