"""`mcode threads`: list, rename and delete threads, without loading LangGraph."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import exit_codes, paths
from ....config.errors import NotInteractiveError
from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID, format_title, open_index, show_rows, to_mappings
from ...rendering.output import echo, echo_json
from ...rendering.sanitize import sanitize_line

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
# Threads on a screen, if no other number is asked for
LISTED = 100
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


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
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=0, help="Threads to list; 0: all; default: 100, with --json all."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the threads of the current folder, most recent first."""
    index = open_index()
    maximum = (None if as_json else LISTED) if limit is None else limit or None
    here = None if all_folders else Path.cwd()
    if search:
        matches = index.search(search)
        every = [row for row in matches if all_folders or row.folder == str(Path.cwd().resolve())]
        rows, others = every[:maximum], len(matches) - len(every)
        hidden = len(every) - len(rows)
    else:
        rows, others, hidden = _read_page(index, here, maximum)
    sizes = _measure_threads(rows) if with_size else None
    if as_json:
        echo_json(to_mappings(rows, sizes))
        return
    if rows:
        show_rows(rows, with_folder=all_folders, sizes=sizes)
    if with_size:
        _show_shared_sizes(rows)
    elif not (rows or others):
        echo(t("threads.not_found") if search else t("threads.none"), err=True)
    if hidden:
        echo(t("threads.more", count=hidden), err=True)
    if others:
        echo(t("threads.elsewhere", count=others), err=True)


def _read_page(
    index: "ThreadIndex", folder: Path | None, maximum: int | None
) -> "tuple[list[ThreadRow], int, int]":
    """Return the threads to show, how many there are elsewhere, and how many more here."""
    rows = index.list(folder, limit=maximum)
    every = index.count()
    here = index.count(folder) if folder else every
    return rows, every - here, here - len(rows)


@app.command()
def rename(thread: Thread, name: Annotated[str, typer.Argument(help="New name.")]) -> None:
    """Rename a thread."""
    index = open_index()
    row = index.find(thread, Path.cwd())
    index.rename(row.thread_id, name)
    echo(t("threads.renamed", id=row.thread_id[:SHORT_ID], name=name.strip()), err=True)


@app.command()
def delete(
    thread: Thread,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a thread and all its data. Project files do not change."""
    index = open_index()
    row = index.find(thread, Path.cwd())
    if not yes and not _confirm_deletion(row):
        raise typer.Exit(exit_codes.FAILED)
    index.delete(row.thread_id)
    echo(t("threads.deleted", id=row.thread_id[:SHORT_ID]), err=True)


def _confirm_deletion(row: "ThreadRow") -> bool:
    from ...prompts.choice import confirm

    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to delete without asking")
    question = t("threads.delete", id=row.thread_id[:SHORT_ID], title=format_title(row))
    return confirm(question)


def _measure_threads(rows: "list[ThreadRow]") -> dict[str, int]:
    from ....sdk.threads.disk_usage import measure_threads

    return measure_threads(rows, paths.locate_home())


def _show_shared_sizes(rows: "list[ThreadRow]") -> None:
    """Show the size of what threads share: snapshots belong to a folder, not to a thread."""
    from ....sdk.threads.disk_usage import measure_database, measure_snapshots
    from ...rendering.humanize import format_size

    for folder, size in measure_snapshots(rows, paths.locate_home()).items():
        line = t("threads.snapshots", folder=sanitize_line(str(folder)), size=format_size(size))
        echo(line, err=True)
    echo(t("threads.database", size=format_size(measure_database(paths.locate_home()))), err=True)
