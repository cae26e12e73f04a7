"""`mcode threads prune`: free disk space that no thread needs, and delete unused threads."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import exit_codes
from ....config.errors import NotInteractiveError
from ...i18n.catalogs import t
from ...rendering.output import echo
from ..undo import Yes

if TYPE_CHECKING:
    from ....memory.threads.index import ThreadIndex
    from ....memory.threads.record import ThreadRow


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

    from ....config import paths
    from ....sdk.threads.pruning import prune_storage
    from ...rendering.humanize import format_size
    from ...rendering.listings.threads import open_index

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
    from ...rendering.listings.threads import show_rows

    if yes:
        return
    show_rows(rows, with_folder=True)
    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to delete without asking")
    if not confirm(t("prune.ask", count=len(rows))):
        raise typer.Exit(exit_codes.FAILED)
