"""`mcode undo` and `mcode redo`: undo the file changes of the last turn, and redo them."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...config import exit_codes, paths
from ..i18n.catalogs import t
from ..rendering.listings.threads import SHORT_ID, format_title
from ..rendering.output import echo

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow
    from ...memory.undo.restore import RestoreResult
    from ...sdk.threads.file_history import PendingRestore

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
    from ...sdk.threads.file_history import open_leased_files
    from ..execution import restore_files
    from ..execution.thread_argument import resolve_thread

    row = resolve_thread(thread, lambda row: _has_something(row, kind))
    with open_leased_files(row, paths.locate_home()) as files:
        restored = restore_files.finish_interrupted(files)
        if restored and restored.entry and restored.entry.kind == kind:  # no second one unasked
            echo(t(f"{kind}.again"), err=True)
        else:
            restored = _apply_restore(
                row, restore_files.prepare_restore(files, kind, force=force), kind, yes
            )
    if as_json:
        done = restore_files.as_mapping(restored)
        restore_files.print_json({"thread_id": row.thread_id, "kind": kind, **done})
    raise typer.Exit(exit_codes.FAILED if restored and restored.conflicts else exit_codes.DONE)


def _apply_restore(
    row: "ThreadRow", way: "PendingRestore | None", kind: str, yes: bool
) -> "RestoreResult | None":
    """Show the plan, ask and apply it; return None if there is nothing to restore."""
    from ..execution import restore_files

    thread = row.thread_id[:SHORT_ID]
    if way is None:
        echo(t(f"{kind}.nothing", thread=thread), err=True)
        return None
    echo(t(f"{kind}.preview", thread=thread, title=format_title(row)), err=True)
    # a conversation, which has no such option, shows it as well
    force = " ".join(["mcode", kind, thread, "--force"])
    restore_files.show_plan(way.plan, again=kind == "redo", force=force)
    if _is_of_a_rewind(way):
        echo(f"  {t('redo.talk')}", err=True)
    if way.plan.changes:
        restore_files.confirm_restore(yes)
    return restore_files.apply_restore(way, yes=yes)


def _is_of_a_rewind(way: "PendingRestore") -> bool:
    """Return whether this reverts a rewind, which may have restored the conversation as well."""
    reverted_kinds = {
        entry.kind for entry in way.files.read_entries() if entry.number in way.plan.reverted
    }
    return way.kind == "redo" and "rewind" in reverted_kinds


def _has_something(row: "ThreadRow", kind: Literal["undo", "redo"]) -> bool:
    from ...memory.undo.history import PLANNED, FileHistory
    from ...memory.undo.undo_stack import find_last_restore, find_last_turn

    entries = FileHistory(paths.locate_database(paths.locate_home())).list_entries(row.thread_id)
    if any(entry.kind in PLANNED and entry.state == "started" for entry in entries):
        return True  # an unfinished restore
    return bool(find_last_turn(entries) if kind == "undo" else find_last_restore(entries))
