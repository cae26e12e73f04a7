"""`mcode threads export` and `import`: a thread as one file, to go on with it elsewhere."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ..config.errors import UsageError
from .echo import echo
from .threads import SHORT_ID, Thread, open_index


def export(
    thread: Thread,
    file: Annotated[
        Path | None, typer.Argument(help="Where to; default: `thread-ID.zip` here.")
    ] = None,
) -> None:
    """Write a thread into one file: the conversation and what its calls answered.

    The project's files and their history stay here. What is secret is hidden in it, as everywhere.
    """
    from ..config import paths
    from ..config.private import replace_file
    from ..sdk.thread_export import exported
    from .i18n import t

    row = open_index().find(thread)
    path = file or Path(f"thread-{row.thread_id[:SHORT_ID]}.zip")
    if path.exists():
        raise UsageError(f"there is `{path}` already", hint="name another file")
    try:
        replace_file(path, exported(row, paths.home()))
    except OSError as error:
        raise UsageError(
            f"cannot write `{path}`: {error.strerror}", hint="name another file"
        ) from None
    echo(path)
    echo(t("export.done", id=row.thread_id[:SHORT_ID]), err=True)


def import_(
    file: Annotated[Path, typer.Argument(help="A file that `mcode threads export` has written.")],
    folder: Annotated[
        Path, typer.Option("--folder", "-C", help="The project; default: the current folder.")
    ] = Path("."),
) -> None:
    """Take a thread over from a file, as one of this folder.

    Nothing that was decided elsewhere holds here: approvals, mode, model and endpoint stay behind,
    and what was open is asked anew. The thread's id is on stdout.
    """
    from ..config import paths
    from .i18n import t
    from .importing import without_collector

    with without_collector():
        from ..sdk.thread_import import import_thread

    imported = asyncio.run(import_thread(file, folder, paths.home()))
    row = imported.row
    echo(row.thread_id)
    echo(t("import.done", id=row.thread_id[:SHORT_ID], folder=row.folder), err=True)
    if imported.dropped:
        echo(t("import.dropped", options=", ".join(imported.dropped)), err=True)
    if row.status in ("waiting", "interrupted", "limit"):
        echo(t("import.open", id=row.thread_id[:SHORT_ID]), err=True)
