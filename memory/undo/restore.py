"""Restore of files by a plan, recorded in the history so that it can be undone."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from ...config.errors import MaxAgentError
from ...config.text import text
from ..snapshots.file_version import PathChange, filter_visible
from ..snapshots.store import Snapshots
from ..snapshots.working_tree import read_version
from .apply import apply_restore, remove_leftovers
from .history import PLANNED, FileHistory, HistoryEntry
from .restore_plan import Conflict, RestorePlan, plan_restore

__all__ = [
    "Conflict",
    "RestorePlan",
    "RestoreResult",
    "execute_plan",
    "finish_interrupted",
    "plan_restore",
]


@dataclass(frozen=True)
class RestoreResult:
    """Files that a restore changed and skipped."""

    paths: tuple[str, ...]
    """Restored files, including merged ones."""
    merged: frozenset[str]
    """Restored files in which changes of others are kept."""
    conflicts: tuple[Conflict, ...]
    """Skipped files."""
    entry: HistoryEntry | None
    """None if nothing was done."""


async def execute_plan(
    snapshots: Snapshots,
    history: FileHistory,
    thread_id: str,
    planned: RestorePlan,
    kind: Literal["undo", "redo", "rewind", "merge"],
    turn: int,
    *,
    key: str = "",
    tool: str = "",
) -> RestoreResult:
    """Restore the planned files; skip files that changed since the plan was made.

    `key` and `tool` are those of the entry, if it is a merge. Changes that others made since then
    are recorded as theirs, not as part of the restore. Raises MaxAgentError before the first write
    if the store has lost a content.
    """
    contents = await snapshots.read_blobs(_collect_blobs(planned.changes))
    await _record_others(snapshots, history, thread_id, planned.tree, turn)
    changes = await asyncio.to_thread(_drop_done, snapshots.folder, planned.changes)
    entry = await asyncio.to_thread(
        history.begin_entry,
        thread_id,
        key or f"{kind}-{secrets.token_hex(8)}",
        kind,
        tool=tool,
        before=planned.tree,
        turn=turn,
        changes=changes,
        reverted=planned.reverted,
        left=planned.skipped,
    )
    paths, left, recorded = await _execute_entry(snapshots, history, thread_id, entry, contents)
    merged = planned.merged.intersection(paths)
    return RestoreResult(paths, merged, (*planned.conflicts, *_to_conflicts(left)), recorded)


def _drop_done(folder: Path, changes: Sequence[PathChange]) -> list[PathChange]:
    """Drop the changes that are already on disk."""
    return [
        change
        for change in changes
        if change.old == change.new or read_version(folder, change.path) != change.new
    ]


async def finish_interrupted(
    snapshots: Snapshots, history: FileHistory, thread_id: str
) -> RestoreResult | None:
    """Finish a restore that was killed; None if there is none. Safe to repeat."""
    done = None
    for entry in await asyncio.to_thread(history.list_entries, thread_id):
        if entry.kind in PLANNED and entry.state == "started":
            done = await finish_entry(snapshots, history, thread_id, entry)
    return done


async def finish_entry(
    snapshots: Snapshots, history: FileHistory, thread_id: str, entry: HistoryEntry
) -> RestoreResult:
    """Finish the planned changes of an entry that was killed. Safe to repeat."""
    contents = await _read_kept_contents(snapshots, _collect_blobs(entry.changes))
    await asyncio.to_thread(remove_leftovers, snapshots.folder, entry.changes, _get_mark(entry))
    paths, left, recorded = await _execute_entry(snapshots, history, thread_id, entry, contents)
    return RestoreResult(paths, frozenset(), _to_conflicts(left), recorded)


async def _execute_entry(
    snapshots: Snapshots,
    history: FileHistory,
    thread_id: str,
    entry: HistoryEntry,
    contents: Mapping[str, bytes],
) -> tuple[tuple[str, ...], dict[str, str], HistoryEntry | None]:
    """Apply the changes of the entry and record what really changed.

    Return the restored files, the skipped files with the reasons, and the recorded entry.
    """
    left = await asyncio.to_thread(
        apply_restore, snapshots.folder, entry.changes, contents, _get_mark(entry)
    )
    changes = [change for change in entry.changes if change.path not in left]
    after = await _take_snapshot_after(snapshots, len(changes), left)
    recorded = await asyncio.to_thread(
        history.finish_entry,
        thread_id,
        entry.key,
        after=after,
        changes=changes,
        reverted=entry.reverted if changes or not left else (),
        left=entry.skipped.union(left),
    )
    return tuple(change.path for change in filter_visible(changes)), left, recorded


async def _take_snapshot_after(snapshots: Snapshots, done: int, left: Mapping[str, str]) -> str:
    """Take the snapshot after the restore; if it fails, the entry stays `started` for a retry."""
    try:
        return await snapshots.take()
    except MaxAgentError as error:
        others = "".join(
            text(", skipped `{path}` ({reason})", path=path, reason=reason)
            for path, reason in left.items()
        )
        raise MaxAgentError(
            text(
                "restored {count} files{others}; then: {message}",
                count=done,
                others=others,
                message=error.message,
            ),
            hint=text(
                "{hint}; the next undo, redo or rewind finishes this restore",
                hint=error.hint or "fix this first",
            ),
        ) from error


async def _record_others(
    snapshots: Snapshots, history: FileHistory, thread_id: str, tree: str, turn: int
) -> None:
    """Record changes since the thread's last entry as made by others."""
    last = await asyncio.to_thread(history.get_last_entry, thread_id)
    if last and last.after and last.after != tree:
        await asyncio.to_thread(
            history.record_entry,
            thread_id,
            f"others-{secrets.token_hex(8)}",
            "others",
            before=last.after,
            after=tree,
            turn=turn,
            changes=await snapshots.list_changes(last.after, tree),
        )


async def _read_kept_contents(snapshots: Snapshots, blobs: Sequence[str]) -> dict[str, bytes]:
    """Return the contents that the store still has."""
    try:
        return await snapshots.read_blobs(blobs)
    except MaxAgentError:
        contents: dict[str, bytes] = {}
        for blob in blobs:
            with suppress(MaxAgentError):
                contents |= await snapshots.read_blobs([blob])
        return contents


def _to_conflicts(left: Mapping[str, str]) -> tuple[Conflict, ...]:
    return tuple(Conflict(path, reason) for path, reason in left.items())


def _collect_blobs(changes: Sequence[PathChange]) -> list[str]:
    return sorted({change.new.blob for change in changes if change.new.has_content})


def _get_mark(entry: HistoryEntry) -> str:
    """Return the mark in the names of the restore's temporary files, which a kill may leave."""
    return entry.key.rpartition("-")[2]


async def record_crashed_calls(snapshots: Snapshots, history: FileHistory, thread_id: str) -> None:
    """Record what changed since a killed call started, as unsure.

    The caller holds the thread's lease.
    """
    entries = await asyncio.to_thread(history.list_entries, thread_id)
    for entry, following in zip_longest(entries, entries[1:]):
        if entry.state == "done" or entry.kind in (*PLANNED, "others"):
            continue
        after = following.before if following else await snapshots.take()
        changes = await snapshots.list_changes(entry.before, after)
        await asyncio.to_thread(
            history.finish_entry, thread_id, entry.key, after=after, changes=changes, sure=False
        )
