"""`mcode threads export` and `import`: a thread as one file, for use elsewhere."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ....config.errors import UsageError
from ....config.security.private_files import create_file
from ....config.text import text
from ...i18n.catalogs import t
from ...lazy_imports import without_collector
from ...rendering.listings.threads import SHORT_ID, open_index
from ...rendering.output import echo
from .listing import Thread

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow

STDOUT = Path("-")


class ExportFormat(StrEnum):
    """Format of an exported thread."""

    zip = "zip"
    atif = "atif"


def export(
    thread: Thread,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Output file, or `-` for stdout; default: `thread-ID.zip` in this folder."
        ),
    ] = None,
    file_format: Annotated[
        ExportFormat,
        typer.Option(
            "--format",
            help="`zip`: to be imported; `atif`: a trajectory in JSON for viewers and benchmarks.",
        ),
    ] = ExportFormat.zip,
) -> None:
    """Export a thread to a file: the conversation and its tool results.

    Project files and their history are not exported. Secrets are redacted. Prints the path;
    existing files are not overwritten.
    """
    row = open_index().find(thread, Path.cwd())
    is_trajectory = file_format is ExportFormat.atif
    suffix = "json" if is_trajectory else "zip"
    path = file or Path(f"thread-{row.thread_id[:SHORT_ID]}.{suffix}")
    content, too_large = (_build_trajectory if is_trajectory else _build_archive)(row)
    if path == STDOUT:
        _write_stdout(content)
    else:
        write_new_file(path, content)
        echo(path)
    echo(t("export.done", id=row.thread_id[:SHORT_ID]), err=True)
    if too_large:
        echo(t("export.too_large", names=", ".join(too_large)), err=True)


def _build_archive(row: "ThreadRow") -> tuple[bytes, Sequence[str]]:
    """Return the file, and the names of full outputs that did not fit."""
    from ....sdk.transfer.exporter import export_thread

    export = export_thread(row, paths.locate_home())
    return export.content, export.too_large


def _build_trajectory(row: "ThreadRow") -> tuple[bytes, Sequence[str]]:
    import json

    from ....sdk.transfer.trajectory import export_trajectory

    trajectory = export_trajectory(row, paths.locate_home())
    return f"{json.dumps(trajectory, ensure_ascii=False, indent=1)}\n".encode(), ()


def _write_stdout(content: bytes) -> None:
    if sys.stdout.isatty():
        raise UsageError("an exported thread cannot be written to a terminal", hint="add `> FILE`")
    sys.stdout.buffer.write(content)


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    try:
        create_file(path, content)
    except FileExistsError:
        raise UsageError(
            text("`{path}` already exists", path=path), hint="give another file"
        ) from None
    except OSError as error:
        raise UsageError(
            text("cannot write `{path}`: {reason}", path=path, reason=error.strerror),
            hint="give another file",
        ) from None


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

    with without_collector():
        from ....sdk.transfer.importer import import_thread

    imported = asyncio.run(import_thread(file, folder, paths.locate_home()))
    row = imported.row
    echo(row.thread_id)
    echo(t("import.done", id=row.thread_id[:SHORT_ID], folder=row.folder), err=True)
    if imported.dropped:
        echo(t("import.dropped", options=", ".join(imported.dropped)), err=True)
    if row.status in ("waiting", "interrupted", "queued", "limit"):
        echo(t("import.open", id=row.thread_id[:SHORT_ID]), err=True)
