"""`mcode threads`: list, name and delete threads, without loading LangGraph."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config.errors import NotInteractiveError
from ...rendering.output import echo, echo_json

if TYPE_CHECKING:
    from ....memory.threads.index import ThreadIndex, ThreadRow

app = typer.Typer(
    help="List, show, rename, fork, export and delete threads.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Thread = Annotated[
    str, typer.Argument(help="Thread ID, ID prefix (4 characters or more), or name.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

SHORT_ID = 8
FORK = "↳ "
"""Before the title of a fork; `tree` shows of what."""


@app.command("list")
def list_threads(
    all_folders: Annotated[
        bool, typer.Option("--all", help="List threads of all folders.")
    ] = False,
    search: Annotated[
        str,
        typer.Option(
            "--search",
            metavar="TEXT",
            help="List only threads with all these words in title, name or messages.",
        ),
    ] = "",
    with_size: Annotated[bool, typer.Option("--size", help="Show disk usage.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the threads of the current folder, most recent first."""
    from ...i18n.catalogs import t

    index = open_index()
    everything = index.search(search) if search else index.list()
    here = str(Path.cwd().resolve())
    rows = [row for row in everything if all_folders or row.folder == here]
    sizes = _measure_threads(rows) if with_size else None
    if as_json:
        echo_json(to_mappings(rows, sizes))
        return
    if rows:
        show_rows(rows, with_folder=all_folders, sizes=sizes)
    if with_size:
        _show_shared_sizes(rows)
    elif not everything:
        echo(t("threads.not_found") if search else t("threads.none"), err=True)
    if others := len(everything) - len(rows):
        echo(t("threads.elsewhere", count=others), err=True)


@app.command()
def rename(thread: Thread, name: Annotated[str, typer.Argument(help="New name.")]) -> None:
    """Rename a thread."""
    from ...i18n.catalogs import t

    index = open_index()
    row = index.find(thread)
    index.rename(row.thread_id, name)
    echo(t("threads.renamed", id=row.thread_id[:SHORT_ID], name=name.strip()), err=True)


@app.command()
def delete(
    thread: Thread,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a thread and all its data. Project files do not change."""
    from ...i18n.catalogs import t

    index = open_index()
    row = index.find(thread)
    if not yes and not _confirm_deletion(row):
        raise typer.Exit(1)
    index.delete(row.thread_id)
    echo(t("threads.deleted", id=row.thread_id[:SHORT_ID]), err=True)


def _confirm_deletion(row: "ThreadRow") -> bool:
    from ...i18n.catalogs import t
    from ...prompts.choice import confirm

    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to delete without asking")
    question = t("threads.delete", id=row.thread_id[:SHORT_ID], title=format_title(row))
    return confirm(question)


def open_index() -> "ThreadIndex":
    """The list of threads; a damaged one that had to be replaced is told."""
    from ....memory.threads.index import ThreadIndex
    from ...i18n.catalogs import t

    index = ThreadIndex()
    if index.set_aside:
        echo(t("threads.damaged", path=index.set_aside), err=True)
    return index


def _measure_threads(rows: "list[ThreadRow]") -> dict[str, int]:
    from ....config import paths
    from ....sdk.threads.disk_usage import measure_threads

    return measure_threads(rows, paths.locate_home())


def _show_shared_sizes(rows: "list[ThreadRow]") -> None:
    """What no single thread takes: snapshots are those of a folder."""
    from ....config import paths
    from ....sdk.threads.disk_usage import measure_database, measure_snapshots
    from ...i18n.catalogs import t
    from ...rendering.humanize import format_size
    from ...rendering.sanitize import sanitize_line

    for folder, size in measure_snapshots(rows, paths.locate_home()).items():
        shown = t("threads.snapshots", folder=sanitize_line(str(folder)), size=format_size(size))
        echo(shown, err=True)
    echo(t("threads.database", size=format_size(measure_database(paths.locate_home()))), err=True)


def to_mappings(rows: "list[ThreadRow]", sizes: dict[str, int] | None) -> list[dict[str, object]]:
    """The threads as JSON has them."""
    put_back = find_restored_threads()
    return [
        {
            **asdict(row),
            "files_undone": row.thread_id in put_back,
            **({} if sizes is None else {"size": sizes[row.thread_id]}),
        }
        for row in rows
    ]


def find_restored_threads() -> set[str]:
    """Ids of the threads whose files were put back last, by undo or rewind."""
    from ....config import paths
    from ....memory.undo.history import FileHistory

    return FileHistory(paths.locate_database(paths.locate_home())).find_restored_threads()


def show_rows(
    rows: "list[ThreadRow]", *, with_folder: bool, sizes: dict[str, int] | None = None
) -> None:
    """Print the threads as a table."""
    from ...i18n.catalogs import t
    from ...rendering.humanize import format_age, format_size
    from ...rendering.table import is_narrow, show_table

    folder, title = t("threads.folder"), t("threads.title")
    put_back = find_restored_threads()
    columns: dict[str, Callable[[ThreadRow], str]] = {
        "id": lambda row: row.thread_id[:SHORT_ID],
        t("threads.status"): lambda row: format_status(row, put_back),
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
    """What it is called, in one line."""
    from ...i18n.catalogs import t
    from ...rendering.sanitize import sanitize_line

    title = row.title or t("threads.untitled")
    return sanitize_line(f"{row.name} · {title}" if row.name else title)


def format_status(row: "ThreadRow", put_back: set[str]) -> str:
    """How it stands, and whether its files were put back since."""
    from ...i18n.catalogs import t

    status = t(f"threads.status.{row.status}")
    if row.thread_id in put_back and row.status != "undone":
        return t("threads.files_undone", status=status)
    return status


def format_time(moment: str) -> str:
    """A moment as local time to the minute; empty where it is not known."""
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M") if moment else ""
