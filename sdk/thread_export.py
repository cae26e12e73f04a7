"""Write a thread into one file; without loading LangGraph.

The conversation goes with it as it is, what its calls answered, and their whole outputs. The files
of the project and their history stay: they belong to the folder and the machine where it happened.
"""

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from .. import __version__
from ..config import paths
from ..config.redaction import redacted, redacted_all
from ..memory.database import connect, explained
from ..memory.moved_threads import Rows, read_rows
from ..memory.repacking import rewritten
from ..memory.thread_file import Manifest, Thread, ThreadFile, packed_file
from ..memory.thread_row import ThreadRow

LEFT_OUT = [
    "the project's files, their snapshots and history: undo and diff begin anew",
    "branches of the conversation that were left by going back",
    "questions that are open and calls that are under way: they are decided anew",
]


def exported(row: ThreadRow, home: Path) -> bytes:
    """The file's bytes; what is a secret by now, and was none when it was kept, is hidden, too."""
    path = paths.database(home)
    with explained(path), closing(connect(path)) as connection:
        rows = read_rows(connection, row.thread_id)
    return packed_file(ThreadFile(_manifest(row), _without_secrets(rows), _outputs(row, home)))


def _manifest(row: ThreadRow) -> Manifest:
    known = row.graph if row.graph in ("task", "edit", "chat") else "task"
    texts = {"title": row.title, "name": row.name, "request": row.request}
    thread = Thread.model_validate(
        {
            **{key: redacted(text) for key, text in texts.items()},
            "thread_id": row.thread_id,
            "folder": row.folder,
            "graph": known,
            "status": row.status,
            "created_at": row.created_at or datetime.now(UTC),
            "options": redacted_all(row.options or {}),
        }
    )
    return Manifest(
        made_by=f"maxagent {__version__}",
        exported_at=datetime.now(UTC),
        thread=thread,
        left_out=LEFT_OUT,
    )


def _without_secrets(rows: Rows) -> Rows:
    return Rows(
        [one._replace(data=rewritten(one.data, redacted)) for one in rows.checkpoints],
        [one._replace(data=rewritten(one.data, redacted)) for one in rows.writes],
        [one._replace(result=_told(one.result)) for one in rows.calls],
    )


def _told(result: str | None) -> str | None:
    return None if result is None else json.dumps(redacted_all(json.loads(result)))


def _outputs(row: ThreadRow, home: Path) -> dict[str, bytes]:
    """Whole outputs, by the name under which the conversation speaks of them."""
    folder = paths.outputs_folder(home, row.thread_id)
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    kept = [file for file in files if _is_ours(file)]
    return {file.name: _bytes_without_secrets(file.read_bytes()) for file in kept}


def _is_ours(file: Path) -> bool:
    return file.suffix in (".txt", ".html") and file.is_file() and not file.is_symlink()


def _bytes_without_secrets(data: bytes) -> bytes:
    text = data.decode(errors="surrogateescape")
    return redacted(text).encode(errors="surrogateescape")
