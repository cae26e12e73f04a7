"""Import of a thread from a file: all of it or nothing, and no decisions made elsewhere."""

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from ...config import paths
from ...config.errors import UsageError
from ...config.security.private_files import make_private_folder, open_private
from ...config.security.redaction import redact
from ...config.text import text
from ...memory.database.checkpointer import open_checkpointer
from ...memory.threads import thread_id
from ...memory.threads.archive import ArchivedThread, read_archive
from ...memory.threads.index import MAX_NAME_LENGTH, ThreadIndex
from ...memory.threads.record import STATUS_OF_OUTCOME, ThreadRow, ThreadStatus, build_title
from ..threads.pruning import IMPORT
from .kept_fields import filter_options, find_dropped
from .sanitize import SanitizedThread, sanitize_import


@dataclass(frozen=True)
class ImportedThread:
    """The imported thread."""

    row: ThreadRow
    dropped: list[str]
    """Names of options that are not kept."""


async def import_thread(file: Path, folder: Path, home: Path) -> ImportedThread:
    """Add the thread of a file to the list, as one of `folder`.

    Raises UsageError, with nothing written, if the file is not a valid thread.
    """
    if not folder.is_dir():
        raise UsageError(
            text("`{folder}` is not a folder", folder=folder), hint="give the project folder"
        )
    archive = await asyncio.to_thread(read_archive, file)
    thread, where = archive.manifest.thread, str(folder.resolve())
    sanitized = await asyncio.to_thread(sanitize_import, archive.rows, thread.graph, where)
    row = _build_row(thread, sanitized, where)
    index = ThreadIndex(home)
    async with open_checkpointer(paths.locate_database(home)):
        pass  # LangGraph's tables exist now
    row = await asyncio.to_thread(_assign_free_id, row, index, home)
    # another import of the same file may take the same ID: keep its data
    outputs = paths.locate_outputs(home, row.thread_id)
    draft_folder = outputs.with_name(f"{IMPORT}{uuid4()}")
    try:
        await asyncio.to_thread(_write_outputs, draft_folder, archive.outputs)
        await asyncio.to_thread(index.import_thread, row, sanitized.rows)
        if draft_folder.exists():
            draft_folder.replace(outputs)
    finally:
        shutil.rmtree(draft_folder, ignore_errors=True)
    return ImportedThread(row, find_dropped({**thread.options, **sanitized.options}, row.options))


def _build_row(thread: ArchivedThread, sanitized: SanitizedThread, folder: str) -> ThreadRow:
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    request = redact(thread.request)
    return ThreadRow(
        thread_id=thread.thread_id,
        title=build_title(redact(thread.title)) if thread.title.strip() else "",
        name=redact(thread.name).strip(),
        folder=folder,
        graph=thread.graph,
        request=request,
        status=_derive_status(thread.status, sanitized),
        created_at=thread.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
        updated_at=now,
        options=filter_options(thread.options, thread.graph, request),
    )


def _derive_status(status: ThreadStatus, sanitized: SanitizedThread) -> ThreadStatus:
    """Return the status here: open work stays open, evidence from elsewhere does not count."""
    if sanitized.outcome and not sanitized.next:
        return STATUS_OF_OUTCOME.get(sanitized.outcome, "unverified")
    return status if status in ("waiting", "limit") else "interrupted"


def _assign_free_id(row: ThreadRow, index: ThreadIndex, home: Path) -> ThreadRow:
    """Return the row with an ID and name that are unused here, also in a lost database."""
    left = paths.locate_outputs(home, row.thread_id).exists()
    is_taken = left or index.find_row(row.thread_id) is not None
    is_name = row.name.isprintable() and len(row.name) <= MAX_NAME_LENGTH
    named = is_name and not index.has_name(row.name)
    return replace(
        row,
        thread_id=thread_id.create_thread_id() if is_taken else row.thread_id,
        name=row.name if named else "",
    )


def _write_outputs(folder: Path, outputs: Mapping[str, bytes]) -> None:
    """Write outputs of commands, which are read by name."""
    if outputs:
        make_private_folder(folder)
    for name, content in outputs.items():
        with open(folder / name, "xb", opener=open_private) as file:
            file.write(content)
