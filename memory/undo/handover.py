"""Files of a thread that another machine has changed, brought to the folder of this one."""

import asyncio
import secrets
from collections.abc import Sequence
from pathlib import Path

from ...config.errors import UsageError
from ...config.text import text
from ..snapshots.file_version import FileVersion, PathChange
from ..snapshots.store import Snapshots
from .apply import apply_restore
from .history import HistoryEntry

MAX_NAMES = 5


async def fetch_files(
    snapshots: Snapshots,
    entries: Sequence[HistoryEntry],
    thread_id: str,
    outputs: Path,
    *,
    has_other_files: bool,
) -> tuple[str, ...]:
    """Bring the newest files of the thread from the storage; return the changed paths.

    A folder that `has_other_files` gets only the files that the thread has changed. Raises
    UsageError, before the first write, if one of them holds what the thread has never seen. The
    caller holds the thread's lease.
    """
    tree, commit = await snapshots.fetch(thread_id, outputs)
    if not tree:
        return ()
    versions = _collect_versions(entries)
    current = await snapshots.take(sorted(versions))
    changes = await snapshots.list_changes(current, tree)
    if has_other_files:
        changes = [change for change in changes if change.path in versions]
        _check_versions(changes, versions, thread_id)
    blobs = sorted({change.new.blob for change in changes if change.new.has_content})
    contents = await snapshots.read_blobs(blobs)
    mark = secrets.token_hex(8)
    skipped = await asyncio.to_thread(apply_restore, snapshots.folder, changes, contents, mark)
    if skipped:
        raise _build_error(thread_id, [f"{path} ({reason})" for path, reason in skipped.items()])
    await snapshots.record_fetched(thread_id, commit)
    return tuple(change.path for change in changes)


def _collect_versions(entries: Sequence[HistoryEntry]) -> dict[str, set[tuple[str, str]]]:
    """Return every version of each file that the thread has changed."""
    versions: dict[str, set[tuple[str, str]]] = {}
    for change in (change for entry in entries for change in entry.changes):
        versions.setdefault(change.path, set()).update(
            (_identify(change.old), _identify(change.new))
        )
    return versions


def _identify(version: FileVersion) -> tuple[str, str]:
    return version.mode, version.blob


def _check_versions(
    changes: Sequence[PathChange], versions: dict[str, set[tuple[str, str]]], thread_id: str
) -> None:
    strange = [
        change.path for change in changes if _identify(change.old) not in versions[change.path]
    ]
    if strange:
        raise _build_error(thread_id, strange)


def _build_error(thread_id: str, paths: Sequence[str]) -> UsageError:
    names = ", ".join(f"`{path}`" for path in paths[:MAX_NAMES])
    return UsageError(
        text(
            "thread `{thread_id}` was continued on another machine, and these files differ here: "
            "{paths}",
            thread_id=thread_id[:8],
            paths=names + (", …" if len(paths) > MAX_NAMES else ""),
        ),
        hint="commit or move them away, then try again",
    )
