"""`mcode threads export` and `import`: a thread as one file, to continue it elsewhere."""

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from ....config.errors import UsageError
from ....config.security.private_files import open_private
from ....config.text import text
from ...rendering.listings.threads import SHORT_ID, open_index
from ...rendering.output import echo
from .listing import Thread

STDOUT = Path("-")


def export(
    thread: Thread,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Output file, or `-` for stdout; default: `thread-ID.zip` in this folder."
        ),
    ] = None,
) -> None:
    """Export a thread to a file: the conversation and its tool results.

    Project files and their history are not exported. Secrets are redacted. Prints the path;
    existing files are not overwritten.
    """
    from ....config import paths
    from ....sdk.transfer.exporter import export_thread
    from ...i18n.catalogs import t

    row = open_index().find(thread, Path.cwd())
    path = file or Path(f"thread-{row.thread_id[:SHORT_ID]}.zip")
    export = export_thread(row, paths.locate_home())
    if path == STDOUT:
        _write_stdout(export.content)
    else:
        write_new_file(path, export.content)
        echo(path)
    echo(t("export.done", id=row.thread_id[:SHORT_ID]), err=True)
    if export.too_large:
        echo(t("export.too_large", names=", ".join(export.too_large)), err=True)


def _write_stdout(content: bytes) -> None:
    if sys.stdout.isatty():
        raise UsageError("an exported thread cannot be written to a terminal", hint="add `> FILE`")
    sys.stdout.buffer.write(content)


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    try:
        with open(path, "xb", opener=open_private) as file:
            _write_whole(file, path, content)
    except FileExistsError:
        raise UsageError(
            text("`{path}` already exists", path=path), hint="give another file"
        ) from None
    except OSError as error:
        raise UsageError(
            text("cannot write `{path}`: {reason}", path=path, reason=error.strerror),
            hint="give another file",
        ) from None


def _write_whole(file: BinaryIO, path: Path, content: bytes) -> None:
    try:
        file.write(content)
        file.flush()
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def import_archive(
    file: Annotated[Path, typer.Argument(help="A file written by `mcode threads export`.")],
    folder: Annotated[
        Path, typer.Option("--folder", "-C", help="Project folder; default: the current folder.")
    ] = Path("."),
) -> None:
    """Import a thread from a file into this folder.

    Approvals, mode, model and endpoint are not imported. Unfinished calls ask again. Prints the
    thread's ID.
    """
    import asyncio

    from ....config import paths
    from ...i18n.catalogs import t
    from ...lazy_imports import without_collector

    with without_collector():
        from ....sdk.transfer.importer import import_thread

    imported = asyncio.run(import_thread(file, folder, paths.locate_home()))
    row = imported.row
    echo(row.thread_id)
    echo(t("import.done", id=row.thread_id[:SHORT_ID], folder=row.folder), err=True)
    if imported.dropped:
        echo(t("import.dropped", options=", ".join(imported.dropped)), err=True)
    if row.status in ("waiting", "interrupted", "limit"):
        echo(t("import.open", id=row.thread_id[:SHORT_ID]), err=True)
