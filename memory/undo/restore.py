"""Carry out a planned restore: it is an entry of the history and can be taken back like any."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...config.errors import MaxAgentError
from ..snapshots.file_version import Change, visible
from ..snapshots.store import Snapshots
from ..snapshots.working_tree import version_on_disk
from .apply import put_back, sweep
from .history import RESTORES, Entry, FileHistory
from .restore_plan import Conflict, Plan, plan

__all__ = ["Conflict", "Plan", "Restored", "carry_out", "finish_interrupted", "plan"]


@dataclass(frozen=True)
class Restored:
    """What a restore did."""

    paths: tuple[str, ...]
    """Files put back, merged ones among them."""
    merged: frozenset[str]
    """Of them, those in which changes of others are kept."""
    conflicts: tuple[Conflict, ...]
    """Files left alone."""
    entry: Entry | None
    """None when nothing was done."""


async def carry_out(
    snapshots: Snapshots,
    history: FileHistory,
    thread_id: str,
    planned: Plan,
    kind: Literal["undo", "redo", "rewind"],
    turn: int,
) -> Restored:
    """Write the planned files; one that has changed since it was planned is left alone.

    What others have brought there meanwhile is their doing, and no part of this restore. Raises
    MaxAgentError, with nothing written, when the store has lost a content.
    """
    contents = await snapshots.read(_blobs(planned.changes))
    await _record_others(snapshots, history, thread_id, planned.tree, turn)
    changes = await asyncio.to_thread(_to_do, snapshots.folder, planned.changes)
    entry = await asyncio.to_thread(
        history.begin,
        thread_id,
        f"{kind}-{secrets.token_hex(8)}",
        kind,
        before=planned.tree,
        turn=turn,
        changes=changes,
        reverted=planned.reverted,
        left=planned.left,
    )
    paths, left, recorded = await _write(snapshots, history, thread_id, entry, contents)
    merged = planned.merged.intersection(paths)
    return Restored(paths, merged, (*planned.conflicts, *_conflicts(left)), recorded)


def _to_do(folder: Path, changes: Sequence[Change]) -> list[Change]:
    """The changes that are not there already."""
    return [
        change
        for change in changes
        if change.old == change.new or version_on_disk(folder, change.path) != change.new
    ]


async def finish_interrupted(
    snapshots: Snapshots, history: FileHistory, thread_id: str
) -> Restored | None:
    """Finish a restore that a kill cut short; None when there is none. Safe to repeat."""
    done = None
    for entry in await asyncio.to_thread(history.entries, thread_id):
        if entry.kind in RESTORES and entry.state == "started":
            contents = await _kept(snapshots, _blobs(entry.changes))
            await asyncio.to_thread(sweep, snapshots.folder, entry.changes, _mark(entry))
            paths, left, recorded = await _write(snapshots, history, thread_id, entry, contents)
            done = Restored(paths, frozenset(), _conflicts(left), recorded)
    return done


async def _write(
    snapshots: Snapshots,
    history: FileHistory,
    thread_id: str,
    entry: Entry,
    contents: Mapping[str, bytes],
) -> tuple[tuple[str, ...], dict[str, str], Entry | None]:
    """Do what the entry means to do, and put on record what was really done.

    Returns the files put back, those left alone with the reason, and the entry as it then is.
    """
    left = await asyncio.to_thread(
        put_back, snapshots.folder, entry.changes, contents, _mark(entry)
    )
    changes = [change for change in entry.changes if change.path not in left]
    after = await _take(snapshots, len(changes), left)
    recorded = await asyncio.to_thread(
        history.finish,
        thread_id,
        entry.key,
        after=after,
        changes=changes,
        reverted=entry.reverted if changes or not left else (),
        left=entry.left.union(left),
    )
    return tuple(change.path for change in visible(changes)), left, recorded


async def _take(snapshots: Snapshots, done: int, left: Mapping[str, str]) -> str:
    """The snapshot after; failing, the entry stays `started` and is finished another time."""
    try:
        return await snapshots.take()
    except MaxAgentError as error:
        others = "".join(f", skipped `{path}` ({reason})" for path, reason in left.items())
        raise MaxAgentError(
            f"restored {done} files{others}; then: {error.message}",
            hint=f"{error.hint or 'fix this first'}; "
            "the next undo, redo or rewind finishes this restore",
        ) from error


async def _record_others(
    snapshots: Snapshots, history: FileHistory, thread_id: str, tree: str, turn: int
) -> None:
    """What has changed since the thread's last entry is the doing of others."""
    last = await asyncio.to_thread(history.last, thread_id)
    if last and last.after and last.after != tree:
        await asyncio.to_thread(
            history.record,
            thread_id,
            f"others-{secrets.token_hex(8)}",
            "others",
            before=last.after,
            after=tree,
            turn=turn,
            changes=await snapshots.changes(last.after, tree),
        )


async def _kept(snapshots: Snapshots, blobs: Sequence[str]) -> dict[str, bytes]:
    """The contents that the store still has."""
    try:
        return await snapshots.read(blobs)
    except MaxAgentError:
        found: dict[str, bytes] = {}
        for blob in blobs:
            with suppress(MaxAgentError):
                found |= await snapshots.read([blob])
        return found


def _conflicts(left: Mapping[str, str]) -> tuple[Conflict, ...]:
    return tuple(Conflict(path, reason) for path, reason in left.items())


def _blobs(changes: Sequence[Change]) -> list[str]:
    return sorted({change.new.blob for change in changes if change.new.has_content})


def _mark(entry: Entry) -> str:
    """Part of the names of the restore's temporary files, which a kill may leave."""
    return entry.key.rpartition("-")[2]
