"""`mcode threads changes`: each change of a thread's files, with author, step and time."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID, format_time
from ...rendering.output import echo, echo_json
from ..undo import Thread

if TYPE_CHECKING:
    from ....sdk.threads.file_changes import ThreadFileChange


def changes(
    thread: Thread = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List each file change of a thread, and who made it."""
    from ....config import paths
    from ....sdk.threads.file_changes import read_file_changes
    from ...execution.thread_argument import resolve_thread

    row = resolve_thread(thread)
    file_changes = read_file_changes(row, paths.locate_home())
    if as_json:
        mappings = [asdict(change) for change in file_changes]
        echo_json(mappings)
    elif file_changes:
        _print_changes(file_changes)
    else:
        echo(t("changes.nothing", thread=row.thread_id[:SHORT_ID]), err=True)


def _print_changes(file_changes: "list[ThreadFileChange]") -> None:
    from ...rendering.table import is_narrow, show_table

    by, path = t("changes.by"), t("steps.files")
    headers = [t("steps.at"), t("steps.step"), by, t("changes.kind"), path]
    rows = [
        [
            format_time(change.at),
            "" if change.step is None else str(change.step),
            _format_author(change),
            t(f"changes.{change.kind}"),
            change.path,
        ]
        for change in file_changes
    ]
    first = 2 if is_narrow() else 0
    show_table(headers[first:], [row[first:] for row in rows], cut=(by, path))


def _format_author(change: "ThreadFileChange") -> str:
    author = change.tool or t(f"changes.by.{change.by}")
    return (
        author if change.in_effect or change.by == "others" else f"{author} ({t('changes.undone')})"
    )
