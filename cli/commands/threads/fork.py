"""`mcode threads fork` and `move`: a copy of a thread, and its folder at another path."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ...i18n.catalogs import t
from ...lazy_imports import without_collector
from ...rendering.listings.threads import SHORT_ID, open_index
from ...rendering.output import echo
from ..undo import Force, Thread, Yes
from .listing import Thread as ListedThread

if TYPE_CHECKING:
    from ....memory.checkpoints.steps import ThreadStep
    from ....memory.threads.record import ThreadRow


def fork(
    at: Annotated[
        int,
        typer.Option(
            "--at", metavar="STEP", help="Step to fork from; `mcode rewind THREAD` lists the steps."
        ),
    ],
    thread: Thread = None,
    say: Annotated[
        str | None, typer.Option("--say", metavar="TEXT", help="New message at that step.")
    ] = None,
    files: Annotated[
        bool, typer.Option("--files", help="Also restore files to that step.")
    ] = False,
    force: Force = False,
    yes: Yes = False,
) -> None:
    """Continue from a step in a new thread.

    The original thread does not change. `--say` replaces the request at step 0; at a later step it
    is a new message for the model. Prints the new thread's ID.
    """
    from ....sdk.threads.steps import find_step
    from ...execution.thread_argument import resolve_thread

    row = resolve_thread(thread)
    step = find_step(row, paths.locate_home(), at)
    code = _put_files_back(row, step, force=force, yes=yes) if files else 0
    forked = _fork_thread(row, step, say)
    echo(forked.thread_id)
    own = forked.thread_id[:SHORT_ID]
    echo(t("fork.done", thread=row.thread_id[:SHORT_ID], step=at, fork=own), err=True)
    raise typer.Exit(code)


def _put_files_back(row: "ThreadRow", step: "ThreadStep", *, force: bool, yes: bool) -> int:
    """Restore files as `mcode rewind --files` does; recorded as a change of the thread itself."""
    from ....sdk.threads.file_history import open_leased_files
    from ...execution import restore_files

    with open_leased_files(row, paths.locate_home()) as its_files:
        way = restore_files.prepare_restore(its_files, "rewind", after=step.file_entry, force=force)
        if way is None:
            return 0
        echo(t("fork.preview", thread=row.thread_id[:SHORT_ID], step=step.number), err=True)
        restore_files.show_plan(way.plan)
        if way.plan.changes:
            restore_files.confirm_restore(yes)
        return int(bool(restore_files.apply_restore(way, yes=yes).conflicts))


def _fork_thread(row: "ThreadRow", step: "ThreadStep", say: str | None) -> "ThreadRow":
    import asyncio

    from ....sdk.threads.time_travel import fork

    if say is not None and step.number:
        with without_collector():
            from ....graphs import task as task
    return asyncio.run(fork(row, paths.locate_home(), step, say))


def move(
    thread: ListedThread,
    folder: Annotated[Path, typer.Argument(help="Project folder where it continues.")],
) -> None:
    """Move a thread to another folder, such as its project after a rename.

    Its conversation, name, sub-agents and undo history move. Files and trust do not.
    """
    import asyncio

    from ....sdk.threads.relocation import move_thread

    row = open_index().find(thread, Path.cwd())
    moved = asyncio.run(move_thread(row, paths.locate_home(), folder))
    echo(t("threads.moved", id=row.thread_id[:SHORT_ID], folder=moved.folder), err=True)
