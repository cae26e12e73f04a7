"""`mcode undo` and `mcode redo`: take back what the last turn did to the files, and back again."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..rendering.output import echo
from .threads.listing import SHORT_ID

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow
    from ...memory.undo.restore import Restored
    from ...sdk.threads.file_history import Way

Thread = Annotated[
    str | None,
    typer.Argument(
        help="Thread ID, ID prefix, or name; default: the folder's latest suitable thread."
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Restore files even if others changed them since.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def undo(
    thread: Thread = None, force: Force = False, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Undo the last turn's file changes.

    The conversation does not change. Your own changes are kept: they are merged, or the file is
    skipped and named.
    """
    _take_back("undo", thread, force=force, yes=yes, as_json=as_json)


def redo(
    thread: Thread = None, force: Force = False, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Redo the last undo or rewind of files. The conversation does not change."""
    _take_back("redo", thread, force=force, yes=yes, as_json=as_json)


def _take_back(
    kind: Literal["undo", "redo"], thread: str | None, *, force: bool, yes: bool, as_json: bool
) -> None:
    from ...config import paths
    from ...sdk.threads.file_history import held_files
    from ..execution import restore_files
    from ..execution.thread_argument import which_thread
    from ..i18n.catalogs import t

    row = which_thread(thread, lambda row: _has_something(row, kind))
    with held_files(row, paths.home()) as files:
        restored = restore_files.finish(files)
        if restored and restored.entry and restored.entry.kind == kind:  # no second one unasked
            echo(t(f"{kind}.again"), err=True)
        else:
            restored = _go(row, restore_files.prepare(files, kind, force=force), kind, yes)
    if as_json:
        done = restore_files.as_mapping(restored)
        restore_files.print_json({"thread_id": row.thread_id, "kind": kind, **done})
    raise typer.Exit(1 if restored and restored.conflicts else 0)


def _go(row: "ThreadRow", way: "Way | None", kind: str, yes: bool) -> "Restored | None":
    """Show the way, ask, and go; None when there is none."""
    from ..execution import restore_files
    from ..i18n.catalogs import t
    from .threads.listing import title_of

    thread = row.thread_id[:SHORT_ID]
    if way is None:
        echo(t(f"{kind}.nothing", thread=thread), err=True)
        return None
    echo(t(f"{kind}.preview", thread=thread, title=title_of(row)), err=True)
    restore_files.show(way.plan, again=kind == "redo")
    if _is_of_a_rewind(way):
        echo(f"  {t('redo.talk')}", err=True)
    if way.plan.changes:
        restore_files.confirm(yes)
    return restore_files.go(way, yes=yes)


def _is_of_a_rewind(way: "Way") -> bool:
    """Whether a rewind is taken back, which may have put the conversation back as well."""
    taken = {entry.kind for entry in way.files.entries() if entry.number in way.plan.reverted}
    return way.kind == "redo" and "rewind" in taken


def _has_something(row: "ThreadRow", kind: Literal["undo", "redo"]) -> bool:
    from ...config import paths
    from ...memory.undo.history import RESTORES, FileHistory
    from ...memory.undo.undo_stack import last_restore, last_turn

    entries = FileHistory(paths.database(paths.home())).entries(row.thread_id)
    if any(entry.kind in RESTORES and entry.state == "started" for entry in entries):
        return True  # a restore to be finished
    return bool(last_turn(entries) if kind == "undo" else last_restore(entries))
