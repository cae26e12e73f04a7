"""`mcode diff`: what a thread changed between two steps, or since a step."""

import os
import sys
from stat import S_ISREG
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..prompts.sync_bridge import run_sync
from ..rendering.listings.threads import SHORT_ID
from ..rendering.output import echo
from ..rendering.sanitize import sanitize_text
from .undo import Thread

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow


def diff(
    thread: Thread = None,
    start: Annotated[
        int, typer.Option("--from", metavar="STEP", help="Compare from the files after this step.")
    ] = 0,
    end: Annotated[
        int | None,
        typer.Option(
            "--to",
            metavar="STEP",
            help="Compare to the files after this step; default: the current files.",
        ),
    ] = None,
) -> None:
    """Show a thread's changes as a diff."""
    from ...sdk.threads.file_history import open_recorded_files
    from ..execution.thread_argument import resolve_thread

    if end is not None and end < start:
        raise UsageError("`--to` is before `--from`", hint="give the earlier step as `--from`")
    row = resolve_thread(thread, _has_changed_files)
    files = open_recorded_files(row, paths.locate_home())
    after = _find_entry(row, start) if start else 0
    upto = None if end is None else _find_entry(row, end)
    text = run_sync(files.diff(after, upto))
    if files.is_gone:
        echo(t("diff.gone"), err=True)
    if text:
        _print_diff(text)
    else:
        echo(t("diff.nothing", thread=row.thread_id[:SHORT_ID]), err=True)


def _find_entry(row: "ThreadRow", number: int) -> int:
    """Return the last entry of the file history at a step."""
    from ...sdk.threads.steps import find_step

    return find_step(row, paths.locate_home(), number).file_entry


def _has_changed_files(row: "ThreadRow") -> bool:
    from ...memory.undo.history import FileHistory
    from ...memory.undo.undo_stack import find_active_entries

    return bool(
        find_active_entries(
            FileHistory(paths.locate_database(paths.locate_home())).list_entries(row.thread_id)
        )
    )


def _print_diff(text: str) -> None:
    """Print byte for byte to a file, in colour to a terminal; a pipe may lead to a terminal."""
    if S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
        sys.stdout.write(text)
    elif sys.stdout.isatty():
        from ..rendering.console import can_redraw, open_console
        from ..rendering.diffs.output import show_diff

        console = open_console(stderr=False)
        indent = "  " if can_redraw(console) else ""  # what is piped stays a diff
        show_diff(console, text, indent=indent, most=None)
    else:
        _print_escaped(text)


def _print_escaped(text: str) -> None:
    """Escape control characters except `\\r\\n`, which a patch needs and which is harmless."""
    safe_text = "\r\n".join(sanitize_text(part) for part in text.split("\r\n"))
    sys.stdout.write(safe_text)
    if safe_text != text:
        echo(t("diff.escaped"), err=True)
