"""What taking entries of the history back would change, worked out before anything is written."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...config.errors import MaxAgentError
from ..snapshots.file_version import (
    ABSENT,
    UNKNOWN,
    Change,
    Version,
    folders_above,
    visible,
)
from ..snapshots.store import Snapshots
from ..snapshots.working_tree import content_on_disk, version_on_disk
from .change_chains import Run, chains
from .history import Entry
from .path_conflicts import in_the_way
from .three_way_merge import CannotMerge, merged

UNSURE = "the run was killed while `{tool}` ran, so its changes cannot be told from those of others"

DOUBTFUL = "it changed while `{tool}` ran, which does not name it; it may be your own change"
Doubtful = Literal["keep", "take", "theirs"]
"""What others may have done while a command ran is left alone as a conflict; or it is taken back;
or it is theirs, and never asked about again."""


@dataclass(frozen=True)
class Conflict:
    """A file that is left alone."""

    path: str
    reason: str
    """In words."""


@dataclass(frozen=True)
class Plan:
    """A restore that can be looked at, and then carried out or not."""

    tree: str
    """Snapshot of now, so that the restore can itself be undone."""
    changes: tuple[Change, ...]
    """From now (`old`) to then (`new`), by path; every new content is in the store."""
    merged: frozenset[str]
    """Of them, the files in which changes of others are kept."""
    conflicts: tuple[Conflict, ...]
    """Left alone: nothing is written for them."""
    left: frozenset[str]
    """The paths of these, and folders that cannot come back without them."""
    reverted: tuple[int, ...]
    """Numbers of the entries that are taken back, but for the conflicts."""
    doubtful: tuple[Change, ...]
    """What is left alone because others may have done it, as it would be taken back."""


async def plan(
    snapshots: Snapshots,
    entries: Sequence[Entry],
    *,
    force: bool = False,
    doubtful: Doubtful = "keep",
) -> Plan:
    """Plan to take the entries back; `active` says which ones `undo`, `redo`, `rewind` take.

    `force` puts files back as they were whatever others have done to them, meanwhile or since.
    """
    tree = await snapshots.take()
    wanted = await asyncio.to_thread(_wanted, snapshots.folder, entries, doubtful)
    conflicts: dict[str, str] = {}
    changes: list[Change] = []
    open_to_doubt: list[Change] = []
    for wish in wanted:
        try:
            change = Change(wish.path, wish.now, await _then(snapshots, wish, force))
        except CannotMerge as reason:
            conflicts[wish.path] = str(reason)
            continue
        if wish.doubt and not force and doubtful == "keep" and change.old != change.new:
            open_to_doubt.append(change)
            conflicts[wish.path] = DOUBTFUL.format(tool=wish.doubt)
        else:
            changes.append(change)
    changes = sorted(_needed(changes), key=lambda change: change.path)
    conflicts |= await asyncio.to_thread(in_the_way, snapshots.folder, changes)
    first = {wish.path: wish.runs[0].old for wish in wanted}
    return Plan(
        tree=tree,
        changes=tuple(change for change in changes if change.path not in conflicts),
        merged=frozenset(
            c.path for c in changes if c.path not in conflicts and c.new != first[c.path]
        ),
        conflicts=tuple(Conflict(path, conflicts[path]) for path in _reported(conflicts)),
        left=frozenset(conflicts),
        reverted=tuple(
            e.number for e in entries if e.kind != "others" and not _blocked(e, conflicts)
        ),
        doubtful=tuple(visible(open_to_doubt)),
    )


def _reported(conflicts: Collection[str]) -> list[str]:
    """The conflicts without folders of which a file among them tells."""
    told = {above for path in conflicts for above in folders_above(path)}
    return sorted(path for path in conflicts if path not in told)


def _blocked(entry: Entry, conflicts: Collection[str]) -> bool:
    """Whether nothing of the entry can be taken back."""
    return bool(entry.changes) and all(change.path in conflicts for change in entry.changes)


def _needed(changes: Sequence[Change]) -> list[Change]:
    """What changes, and the folders that would go away with the last of their files.

    Now, or when the restore is itself taken back.
    """
    real = [change for change in changes if change.old != change.new]
    around = {above for change in real for above in folders_above(change.path)}
    kept = (c for c in changes if c.old == c.new != ABSENT and c.path in around)
    return [*real, *kept]


@dataclass(frozen=True)
class _Wish:
    """A file that is to go back to what it was before the first of its runs."""

    path: str
    runs: Sequence[Run]
    now: Version

    @property
    def doubt(self) -> str:
        """Name of the command while which others may have changed the file; mostly empty."""
        return next((run.doubt for run in self.runs if run.doubt), "")


def _wanted(folder: Path, entries: Sequence[Entry], doubtful: Doubtful) -> list[_Wish]:
    own = [entry for entry in entries if entry.kind != "others"]
    every = {
        path: [run for run in runs if not run.doubt] if doubtful == "theirs" else runs
        for path, runs in chains(own).items()
    }
    return [
        _Wish(path, runs, version_on_disk(folder, path)) for path, runs in every.items() if runs
    ]


async def _then(snapshots: Snapshots, wish: _Wish, force: bool) -> Version:
    """What the file is to become; raises CannotMerge."""
    first, now = wish.runs[0], wish.now
    if all(run.old == run.new for run in wish.runs) or (now == first.old and len(wish.runs) == 1):
        return now
    if now == UNKNOWN:
        raise CannotMerge("it is not a readable file")
    unsure = next((run.unsure for run in wish.runs if run.unsure), "")
    if unsure and not force:
        raise CannotMerge(UNSURE.format(tool=unsure))
    if now.has_content and now != wish.runs[-1].new:
        await _keep(snapshots, wish)
    if force:
        return first.old
    for run in reversed(wish.runs):
        now = await merged(snapshots, run.new, now, run.old)
    return now


async def _keep(snapshots: Snapshots, wish: _Wish) -> None:
    """Have the file's content of now in the store, which leaves some files out of snapshots."""
    try:
        await snapshots.read([wish.now.blob])
    except MaxAgentError:
        content = await asyncio.to_thread(_content, snapshots.folder, wish.path)
        if await snapshots.write(content) != wish.now.blob:
            raise CannotMerge("it keeps changing") from None


def _content(folder: Path, path: str) -> bytes:
    try:
        content = content_on_disk(folder, path)
    except OSError:
        raise CannotMerge("it keeps changing") from None
    return content
