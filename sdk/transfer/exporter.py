"""Export of a thread to one file; does not load LangGraph.

It has the whole conversation, the results of its calls, and their full outputs. The project's files
and their history are left out: they belong to the folder and the machine where the thread ran.
Outputs that would make the file too large to import are left out, the largest first.
"""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ... import __version__
from ...config import paths
from ...config.security.redaction import redact, redact_json
from ...memory.checkpoints.packed_rows import map_texts, rewrite_texts
from ...memory.checkpoints.thread_rows import Row
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.threads.archive import (
    MAX_OUTPUTS,
    OUTPUT_NAME,
    ArchivedThread,
    Manifest,
    ThreadArchive,
    choose_version,
    get_output_room,
    pack_archive,
)
from ...memory.threads.record import ThreadRow
from ...memory.threads.sub_runs import SubRun
from ...memory.threads.transfer_rows import ChildRows, TransferRows, read_rows
from .card_removal import remove_cards

LEFT_OUT = [
    "the project's files, their snapshots and history: undo and diff begin anew",
    "the cards of your memory that a model was shown",
    "branches of the conversation that were left by going back",
    "questions that are open and calls that are under way: they are decided anew",
    "sub-agents that have not reported yet",
]
OUTPUT_LEFT_OUT = "the whole output {name}: with it the file would be too large to be imported"


@dataclass(frozen=True)
class ExportedThread:
    """A thread as a file."""

    content: bytes
    too_large: Sequence[str]
    """Names of full outputs that did not fit."""


def export_thread(row: ThreadRow, home: Path) -> ExportedThread:
    """Return the thread as a file; current secrets are redacted, even if they were stored before.

    Raises UsageError if the conversation alone is larger than an import accepts.
    """
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        rows = _without_private(read_rows(connection, row.thread_id))
    folder = paths.locate_outputs(home, row.thread_id)
    outputs, too_large = _collect_outputs(folder, get_output_room(rows))
    manifest = _build_manifest(row, too_large, choose_version(rows))
    file = ThreadArchive(manifest, rows, outputs)
    return ExportedThread(pack_archive(file), too_large)


def _build_manifest(row: ThreadRow, too_large: Sequence[str], version: int) -> Manifest:
    graph = row.graph if row.graph in ("task", "edit", "chat") else "task"
    texts = {"title": row.title, "name": row.name, "request": row.request}
    thread = ArchivedThread.model_validate(
        {
            **{key: redact(text) for key, text in texts.items()},
            "thread_id": row.thread_id,
            "folder": row.folder,
            "graph": graph,
            "status": row.status,
            "created_at": row.created_at or datetime.now(UTC),
            "options": redact_json(row.options or {}),
        }
    )
    return Manifest(
        version=version,
        made_by=f"maxagent {__version__}",
        exported_at=datetime.now(UTC),
        thread=thread,
        left_out=[*LEFT_OUT, *(OUTPUT_LEFT_OUT.format(name=name) for name in too_large)],
    )


def _without_private(rows: TransferRows) -> TransferRows:
    """Return the rows without secrets, and without the cards that a model was shown."""
    return TransferRows(
        [*map(_redact_row, rows.checkpoints)],
        [*map(_redact_row, rows.writes)],
        [call._replace(result=_redact_result(call.result)) for call in rows.calls],
        tuple(
            ChildRows(
                _redact_child(child), [*map(_redact_row, checkpoints)], [*map(_redact_row, writes)]
            )
            for child, checkpoints, writes in rows.children
        ),
    )


def _redact_row(row: Row) -> Row:
    return row._replace(data=rewrite_texts(row.data, _redact_text))


def _redact_child(child: SubRun) -> SubRun:
    """Return it without secrets, and without its folder on this machine."""
    texts = {"title": _redact_text(child.title), "report": _redact_text(child.report)}
    return replace(child, worktree="", **texts)


def _redact_text(text: str) -> str:
    return redact(remove_cards(text))


def _redact_result(result: str | None) -> str | None:
    if result is None:
        return None
    return json.dumps(redact_json(map_texts(json.loads(result), remove_cards)))


def _collect_outputs(folder: Path, room: int) -> tuple[dict[str, bytes], list[str]]:
    """Return full outputs by their name in the conversation, and the names that do not fit.

    The smaller ones come first, so that most fit.
    """
    outputs, too_large = dict[str, bytes](), list[str]()
    files = [file for file in folder.iterdir() if _is_ours(file)] if folder.is_dir() else []
    for file in sorted(files, key=lambda file: (file.stat().st_size, file.name)):
        has_room = len(outputs) < MAX_OUTPUTS and file.stat().st_size <= room
        data = _redact_bytes(file.read_bytes()) if has_room else b""
        if has_room and len(data) <= room:
            outputs[file.name] = data
            room -= len(data)
        else:
            too_large.append(file.name)
    return outputs, too_large


def _is_ours(file: Path) -> bool:
    """Return whether the file is an output; `webfetch` keeps a page there only while reading it."""
    is_output = OUTPUT_NAME.fullmatch(file.name) and file.suffix == ".txt"
    return bool(is_output) and file.is_file() and not file.is_symlink()


def _redact_bytes(data: bytes) -> bytes:
    text = data.decode(errors="surrogateescape")
    return redact(text).encode(errors="surrogateescape")
