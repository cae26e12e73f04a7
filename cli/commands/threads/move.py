"""`mcode threads move`: a thread follows its folder, which was renamed or moved."""

from pathlib import Path
from typing import Annotated

import typer

from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID, open_index
from ...rendering.output import echo
from .listing import Thread


def move(
    thread: Thread,
    folder: Annotated[Path, typer.Argument(help="Project folder where it continues.")],
) -> None:
    """Move a thread to another folder, such as its project after a rename.

    Its conversation, name, sub-agents and undo history move. Files and trust do not.
    """
    import asyncio

    from ....config import paths
    from ....sdk.threads.relocation import move_thread

    row = open_index().find(thread, Path.cwd())
    moved = asyncio.run(move_thread(row, paths.locate_home(), folder))
    echo(t("threads.moved", id=row.thread_id[:SHORT_ID], folder=moved.folder), err=True)
