"""`mcode threads changes`: each change of a thread's files, by whom, at which step and when."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ...rendering.output import echo, echo_json
from ..undo import Thread
from .listing import SHORT_ID

if TYPE_CHECKING:
    from ....sdk.threads.file_changes import FileChange


def changes(
    thread: Thread = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List each file change of a thread, and who made it."""
    from ....config import paths
    from ....sdk.threads.file_changes import file_changes
    from ...execution.thread_argument import which_thread
    from ...i18n.catalogs import t

    row = which_thread(thread)
    found = file_changes(row, paths.home())
    if as_json:
        mappings = [asdict(change) for change in found]
        echo_json(mappings)
    elif found:
        _show(found)
    else:
        echo(t("changes.nothing", thread=row.thread_id[:SHORT_ID]), err=True)


def _show(found: "list[FileChange]") -> None:
    from ...i18n.catalogs import t
    from ...rendering.table import is_narrow, show_table
    from .listing import when

    by, path = t("changes.by"), t("steps.files")
    headers = [t("steps.at"), t("steps.step"), by, t("changes.kind"), path]
    rows = [
        [
            when(change.at),
            "" if change.step is None else str(change.step),
            _by(change),
            t(f"changes.{change.kind}"),
            change.path,
        ]
        for change in found
    ]
    first = 2 if is_narrow() else 0
    show_table(headers[first:], [row[first:] for row in rows], cut=(by, path))


def _by(change: "FileChange") -> str:
    from ...i18n.catalogs import t

    who = change.tool or t(f"changes.by.{change.by}")
    return who if change.in_effect or change.by == "others" else f"{who} ({t('changes.undone')})"
