"""`mcode rewind`: restore a thread's files, its conversation or both to one of its steps."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import exit_codes, paths
from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..lazy_imports import without_collector
from ..prompts.sync_bridge import run_sync
from ..rendering.listings.threads import SHORT_ID, format_title
from ..rendering.output import echo
from .undo import AsJson, Force, Thread, Yes

if TYPE_CHECKING:
    from ...memory.checkpoints.steps import ThreadStep
    from ...memory.threads.record import ThreadRow
    from ...sdk.threads.file_history import PendingRestore, ThreadFiles


def rewind(
    thread: Thread = None,
    to: Annotated[
        int | None,
        typer.Option(
            "--to", metavar="STEP", help="Step to go back to; default: list the steps and ask."
        ),
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Restore only the files.")] = False,
    talk: Annotated[bool, typer.Option("--talk", help="Restore only the conversation.")] = False,
    both: Annotated[
        bool, typer.Option("--both", help="Restore both; this is the default.")
    ] = False,
    force: Force = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Restore files and conversation to a step.

    Later steps are kept, and you can return to them. Your own changes are kept.
    """
    from ..execution.thread_argument import resolve_thread

    if files + talk + both > 1:
        raise UsageError(
            "`--files`, `--talk` and `--both` cannot be used together", hint="choose one"
        )
    row = resolve_thread(thread)
    number = _ask_for_step(row, as_json) if to is None else to
    wish = _RewindRequest(row, number, files=not talk, talk=not files)
    _go_back(wish, force=force, yes=yes, as_json=as_json)


@dataclass(frozen=True)
class _RewindRequest:
    """The step to rewind to, and what to restore."""

    row: "ThreadRow"
    number: int
    files: bool
    talk: bool


def _ask_for_step(row: "ThreadRow", as_json: bool) -> int:
    """Show the steps and ask for one; without a terminal only show them."""
    from ..prompts.choice import ask_number
    from ..rendering.listings.steps import show_steps

    show_steps(row, as_json=as_json)
    _warn_if_interrupted(row)
    if as_json:
        raise typer.Exit
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        echo(t("rewind.choose", thread=row.thread_id[:SHORT_ID]), err=True)
        raise typer.Exit
    return ask_number(t("rewind.ask"))


def _warn_if_interrupted(row: "ThreadRow") -> None:
    from ...sdk.threads.file_history import open_thread_files
    from ..execution.restore_files import warn_if_interrupted

    if Path(row.folder).is_dir():
        warn_if_interrupted(open_thread_files(row, paths.locate_home()))


def _go_back(wish: _RewindRequest, *, force: bool, yes: bool, as_json: bool) -> None:
    from ...sdk.threads.steps import find_step, read_thread_branches
    from ..execution import restore_files

    row, restored = wish.row, None
    with _acquire_thread(wish) as files:
        step = find_step(row, paths.locate_home(), wish.number)
        branches = read_thread_branches(row, paths.locate_home())
        restores_talk = wish.talk and step.checkpoint_id != branches.tip
        after = step.file_entry
        way = (
            restore_files.prepare_restore(files, "rewind", after=after, force=force)
            if files
            else None
        )
        _print_preview(wish, way, left=branches.steps[-1].number if restores_talk else None)
        if restores_talk or (way and way.plan.changes):
            restore_files.confirm_restore(yes)
        if way:
            restored = restore_files.apply_restore(way, yes=yes)
        if restores_talk:
            _rewind_conversation(row, step)
    if as_json:
        did = {
            "thread_id": row.thread_id,
            "kind": "rewind",
            "step": wish.number,
            "talk": restores_talk,
        }
        restore_files.print_json({**did, **restore_files.as_mapping(restored)})
    raise typer.Exit(exit_codes.FAILED if restored and restored.conflicts else exit_codes.DONE)


@contextmanager
def _acquire_thread(wish: _RewindRequest) -> "Generator[ThreadFiles | None]":
    """Lock the thread against other processes; yield its files if they are to be restored."""
    from ...memory.threads.lease import acquire_lease
    from ...sdk.threads.file_history import open_leased_files

    if wish.files:
        with open_leased_files(wish.row, paths.locate_home()) as files:
            yield files
    else:
        with acquire_lease(paths.locate_home(), wish.row.thread_id):
            yield None


def _print_preview(wish: _RewindRequest, way: "PendingRestore | None", left: int | None) -> None:
    """Print what would change; `left` is the conversation's last step now, None if it stays."""
    from ..execution import restore_files

    if not way and left is None:
        echo(t("rewind.nothing", step=wish.number), err=True)
        return
    thread, title = wish.row.thread_id[:SHORT_ID], format_title(wish.row)
    echo(t("rewind.preview", thread=thread, title=title, step=wish.number), err=True)
    if way:
        restore_files.show_plan(way.plan)
    if left is not None:
        echo(f"  {t('rewind.talk', now=left, step=wish.number)}", err=True)


def _rewind_conversation(row: "ThreadRow", step: "ThreadStep") -> None:
    from ..execution.retired_cards import show_retired

    with without_collector():
        from ...sdk.threads.time_travel import rewind_talk
    retired = run_sync(rewind_talk(row, paths.locate_home(), step))
    echo(t("rewind.talked", step=step.number, thread=row.thread_id[:SHORT_ID]), err=True)
    show_retired(retired)
