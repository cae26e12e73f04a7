"""`mcode threads prune` and `compact`: less on the disk, less for the model."""

import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import exit_codes, paths
from ....config.errors import NotInteractiveError
from ...i18n.catalogs import t
from ...lazy_imports import without_collector
from ...options import Output, OutputFormat
from ...rendering.listings.threads import open_index, show_rows
from ...rendering.output import echo
from ..undo import Thread, Yes

if TYPE_CHECKING:
    from ....memory.threads.index import ThreadIndex
    from ....memory.threads.record import ThreadRow
    from ...rendering.renderer import Renderer


def prune(
    older: Annotated[
        float | None,
        typer.Option(
            "--older",
            metavar="DAYS",
            min=0,
            max=36500,
            help="Delete threads that were not used for this long.",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Free disk space that no thread needs.

    Removes unused snapshots, outputs, backups and free database pages. Project files do not change.
    """
    import asyncio

    from ....sdk.threads.pruning import prune_storage
    from ...rendering.humanize import format_size

    index = open_index()
    deleted = _delete_unused(index, older, yes) if older is not None else 0
    freed = asyncio.run(prune_storage(paths.locate_home()))
    if deleted:
        echo(t("prune.deleted", count=deleted), err=True)
    echo(t("prune.freed", size=format_size(freed)), err=True)


def _delete_unused(index: "ThreadIndex", days: float, yes: bool) -> int:
    from ....sdk.threads.pruning import find_unused

    rows = find_unused(index.list(), days)
    if rows:
        _confirm_deletion(rows, yes)
    for row in rows:
        index.delete(row.thread_id)
    return len(rows)


def _confirm_deletion(rows: "list[ThreadRow]", yes: bool) -> None:
    from ...prompts.choice import confirm

    if yes:
        return
    show_rows(rows, with_folder=True)
    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to delete without asking")
    if not confirm(t("prune.ask", count=len(rows))):
        raise typer.Exit(exit_codes.FAILED)


def compact(
    thread: Thread = None,
    focus: Annotated[
        str, typer.Option("--focus", metavar="TEXT", help="What the summary should keep.")
    ] = "",
    output: Output = OutputFormat.text,
) -> None:
    """Compact a thread now: the model is sent a summary in place of older messages."""
    from ...execution.thread_argument import resolve_thread

    thread_id = resolve_thread(thread).thread_id
    with without_collector():
        from ...execution.run import open_renderer
        from ...execution.stop_signal import run_stoppable

    # no event of a compaction is the last one of a run, which `json` prints
    renderer = open_renderer(OutputFormat.stream_json if output is OutputFormat.json else output)
    code = run_stoppable(lambda _: _compact(thread_id, focus, renderer, output))
    raise typer.Exit(code)


async def _compact(thread: str, focus: str, renderer: "Renderer", output: OutputFormat) -> int:
    from ....sdk.events import CompactionFinished
    from ....sdk.runner import Runner

    async with Runner() as runner, aclosing(runner.compact(thread, focus)) as events:
        async for event in events:
            if output is not OutputFormat.json or isinstance(event, CompactionFinished):
                renderer.show_event(event)
    return 0
