"""Plan of a restore, computed before anything is written."""

import asyncio
import os
import stat
from collections.abc import Collection, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from ...config.errors import MaxAgentError
from ...config.text import text
from ..snapshots.file_version import (
    ABSENT,
    UNKNOWN,
    FileVersion,
    PathChange,
    filter_visible,
    is_folder,
    list_parent_folders,
)
from ..snapshots.store import Snapshots
from ..snapshots.working_tree import read_content, read_version
from .change_chains import ChangeRun, build_chains, find_filled_folders
from .history import HistoryEntry
from .three_way_merge import MergeConflictError, merge_versions

UNSURE = "the run was killed while `{tool}` ran, so its changes cannot be told from those of others"

CLAIMED = "another thread of this folder wrote it while `{tool}` ran; undo it there"
DOUBTFUL = "it changed while `{tool}` ran, which does not name it; it may be your own change"
# What others may have changed while a command ran: keep it as a conflict, revert it, or record it
# as theirs and never ask again.
DoubtPolicy = Literal["keep", "take", "theirs"]


@dataclass(frozen=True)
class Conflict:
    """A file that the restore skips."""

    path: str
    reason: str
    """The reason, as a message."""


@dataclass(frozen=True)
class RestorePlan:
    """A restore to show first, and then to apply or drop."""

    tree: str
    """Current snapshot, so that the restore can itself be undone."""
    changes: tuple[PathChange, ...]
    """From the current version (`old`) to the restored one (`new`), by path; contents are stored.
    """
    merged: frozenset[str]
    """Paths in `changes` in which changes of others are kept."""
    conflicts: tuple[Conflict, ...]
    """Skipped files: nothing is written for them."""
    skipped: frozenset[str]
    """The paths of the conflicts, and folders that cannot be restored without them."""
    reverted: tuple[int, ...]
    """Numbers of the entries to revert, except for the conflicts."""
    doubtful: tuple[PathChange, ...]
    """Changes that are skipped because others may have made them, as they would be reverted."""


async def plan_restore(
    snapshots: Snapshots,
    entries: Sequence[HistoryEntry],
    *,
    force: bool = False,
    doubtful: DoubtPolicy = "keep",
) -> RestorePlan:
    """Plan to revert the entries; `undo_stack` selects those of `undo`, `redo` and `rewind`.

    `force` restores files even if others have changed them, in between or since.
    """
    tree = await snapshots.take()
    goals = await asyncio.to_thread(_list_goals, snapshots.folder, entries, doubtful)
    conflicts: dict[str, str] = {}
    changes: list[PathChange] = []
    open_to_doubt: list[PathChange] = []
    for goal in goals:
        try:
            change = PathChange(goal.path, goal.now, await _compute_version(snapshots, goal, force))
        except MergeConflictError as reason:
            conflicts[goal.path] = str(reason)
            continue
        if goal.doubt and not force and doubtful == "keep" and change.old != change.new:
            open_to_doubt.append(change)
            conflicts[goal.path] = text(DOUBTFUL, tool=goal.doubt)
        else:
            changes.append(change)
    changes = sorted(_select_needed(changes), key=lambda change: change.path)
    conflicts |= await asyncio.to_thread(find_path_conflicts, snapshots.folder, changes)
    deleted_paths = {c.path for c in changes if c.new == ABSENT and c.path not in conflicts}
    kept_folders = await asyncio.to_thread(_find_kept_folders, snapshots.folder, deleted_paths)
    changes = [change for change in changes if change.path not in kept_folders]
    hollow, blocked = _find_hollow_folders(changes, conflicts, find_filled_folders(entries))
    changes = [change for change in changes if change.path not in hollow]
    changes += await asyncio.to_thread(_list_empty_parents, snapshots.folder, changes)
    changes.sort(key=lambda change: change.path)
    first = {goal.path: goal.runs[0].old for goal in goals}
    return RestorePlan(
        tree=tree,
        changes=tuple(change for change in changes if change.path not in conflicts),
        merged=frozenset(
            c.path for c in changes if c.path not in conflicts and c.new != first.get(c.path, c.new)
        ),
        conflicts=tuple(Conflict(path, conflicts[path]) for path in _select_reported(conflicts)),
        skipped=frozenset(conflicts) | blocked,
        reverted=_list_reverted(entries, {*conflicts, *blocked}),
        doubtful=tuple(filter_visible(open_to_doubt)),
    )


def find_claimed(
    folder: Path, entries: Sequence[HistoryEntry], remaining: Sequence[HistoryEntry]
) -> tuple[Conflict, ...]:
    """Return the files of which `remaining` has no change, since only other threads wrote them.

    A file that is already as it was before is left out.
    """
    staying = {change.path for entry in remaining for change in entry.changes}
    claimed = {
        path: runs
        for path, runs in build_chains(entries).items()
        if path not in staying and read_version(folder, path) != runs[0].old
    }
    return tuple(
        Conflict(path, text(CLAIMED, tool=next((run.doubt for run in runs if run.doubt), "")))
        for path, runs in claimed.items()
        if not is_folder(path)
    )


def _select_reported(conflicts: Collection[str]) -> list[str]:
    """Drop conflicts of folders that contain a conflicting file."""
    reported = {above for path in conflicts for above in list_parent_folders(path)}
    return sorted(path for path in conflicts if path not in reported)


def _list_reverted(entries: Sequence[HistoryEntry], skipped: Set[str]) -> tuple[int, ...]:
    own = (entry for entry in entries if entry.kind != "others")
    return tuple(entry.number for entry in own if not _is_blocked(entry, skipped))


def _is_blocked(entry: HistoryEntry, conflicts: Collection[str]) -> bool:
    """Return whether none of the entry's changes can be reverted."""
    return bool(entry.changes) and all(change.path in conflicts for change in entry.changes)


def _select_needed(changes: Sequence[PathChange]) -> list[PathChange]:
    """Return what changes, and the folders that would vanish with the last of their files.

    That can happen now, or when the restore itself is undone.
    """
    real = [change for change in changes if change.old != change.new]
    around = {above for change in real for above in list_parent_folders(change.path)}
    folder_changes = (c for c in changes if c.old == c.new != ABSENT and c.path in around)
    return [*real, *folder_changes]


def _find_hollow_folders(
    changes: Sequence[PathChange], conflicts: Collection[str], filled: Set[str]
) -> tuple[set[str], set[str]]:
    """Return the folders to create that had contents, of which nothing comes back.

    The second are those among them that hold a conflict. An empty folder in their place was never
    there, and git does not make one either.
    """
    coming = {c.path for c in changes if c.new != ABSENT and c.path not in conflicts}
    created = {c.path for c in changes if c.old == ABSENT and c.path in coming & filled}
    around = {above for path in coming - created for above in list_parent_folders(path)}
    # the deepest first
    for path in sorted(created, key=len, reverse=True):
        if path in around:
            around.update(list_parent_folders(path))
    hollow = created - around
    return hollow, hollow.intersection(a for path in conflicts for a in list_parent_folders(path))


def _list_empty_parents(folder: Path, changes: Sequence[PathChange]) -> list[PathChange]:
    """Return the empty folders that get contents, as unchanged: the way back is to keep them."""
    known_paths = {change.path for change in changes}
    coming = [c.path for c in changes if c.old == ABSENT != c.new]
    parents = {above for path in coming for above in list_parent_folders(path)} - known_paths
    versions = {path: read_version(folder, path) for path in sorted(parents)}
    return [
        PathChange(path, version, version)
        for path, version in versions.items()
        if version != ABSENT and _is_empty(folder / path)
    ]


def _is_empty(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def _find_kept_folders(folder: Path, deleted_paths: Set[str]) -> set[str]:
    """Return the folders to delete that still contain something, such as an ignored file."""
    kept_folders = set[str]()
    # the deepest first
    for path in sorted(filter(is_folder, deleted_paths), key=len, reverse=True):
        going = deleted_paths - kept_folders
        with suppress(OSError), os.scandir(folder / path) as entries:
            names = [f"{path}{entry.name}" for entry in entries]
            if any(name not in going and f"{name}/" not in going for name in names):
                kept_folders.add(path)
    return kept_folders


@dataclass(frozen=True)
class _FileGoal:
    """A file to restore to its version before the first of its runs."""

    path: str
    runs: Sequence[ChangeRun]
    now: FileVersion

    @property
    def doubt(self) -> str:
        """Name of the command during which others may have changed the file; mostly empty."""
        return next((run.doubt for run in self.runs if run.doubt), "")


def _list_goals(
    folder: Path, entries: Sequence[HistoryEntry], doubtful: DoubtPolicy
) -> list[_FileGoal]:
    own = [entry for entry in entries if entry.kind != "others"]
    every = {
        path: [run for run in runs if not run.doubt] if doubtful == "theirs" else runs
        for path, runs in build_chains(own).items()
    }
    return [
        _FileGoal(path, runs, read_version(folder, path)) for path, runs in every.items() if runs
    ]


async def _compute_version(snapshots: Snapshots, wish: _FileGoal, force: bool) -> FileVersion:
    """Return the version to restore; raises MergeConflictError."""
    first, now = wish.runs[0], wish.now
    if all(run.old == run.new for run in wish.runs) or (now == first.old and len(wish.runs) == 1):
        return now
    if now == UNKNOWN:
        raise MergeConflictError("it is not a readable file")
    unsure = next((run.unsure for run in wish.runs if run.unsure), "")
    if unsure and not force:
        raise MergeConflictError(text(UNSURE, tool=unsure))
    if now.has_content and now != wish.runs[-1].new:
        await _ensure_stored(snapshots, wish)
    if force:
        return first.old
    for run in reversed(wish.runs):
        now = await merge_versions(snapshots, run.new, now, run.old)
    return now


async def _ensure_stored(snapshots: Snapshots, wish: _FileGoal) -> None:
    """Store the file's current content, which snapshots may leave out."""
    try:
        await snapshots.read_blobs([wish.now.blob])
    except MaxAgentError:
        content = await asyncio.to_thread(_read_current, snapshots.folder, wish.path)
        if await snapshots.write_blob(content) != wish.now.blob:
            raise MergeConflictError("it keeps changing") from None


def _read_current(folder: Path, path: str) -> bytes:
    try:
        content = read_content(folder, path)
    except OSError:
        raise MergeConflictError("it keeps changing") from None
    return content


def find_path_conflicts(folder: Path, changes: Sequence[PathChange]) -> dict[str, str]:
    """Return the paths that cannot be written, with the reasons.

    A path that another change deletes does not block.
    """
    going = {change.path for change in changes if change.new == ABSENT}
    coming = [change.path for change in changes if change.new != ABSENT]
    return {path: reason for path in coming if (reason := _explain_conflict(folder, path, going))}


def _explain_conflict(folder: Path, path: str, going: set[str]) -> str:
    own = [PurePosixPath(path)] if is_folder(path) else []
    for above in (*own, *PurePosixPath(path).parents[:-1]):
        if str(above) not in going and _classify_path(folder / above) == "file":
            return text("`{folder}` is no longer a folder", folder=above)
    if (
        not is_folder(path)
        and _classify_path(folder / path) == "folder"
        and any(str(file) not in going for file in _walk_files(folder, path))
    ):
        return "a folder with other files is in its place"
    return ""


def _classify_path(path: Path) -> str:
    """Return `folder`, `file` (or link, …), or an empty string if the path does not exist."""
    try:
        return "folder" if stat.S_ISDIR(os.lstat(path).st_mode) else "file"
    except OSError:  # missing, or behind a circular link
        return ""


def _walk_files(folder: Path, path: str) -> Iterable[PurePosixPath]:
    """Return everything below except folders, relative to `folder`; links are not followed."""
    for above, folders, files in os.walk(folder / path):
        inside = PurePosixPath(Path(above).relative_to(folder).as_posix())
        for name in [*files, *(name for name in folders if (Path(above) / name).is_symlink())]:
            yield inside / name
