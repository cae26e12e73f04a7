"""Merge of a worktree's changes into the project, as one entry of a thread's file history.

What the worktree changed since it was made is brought to the project's files as they are now, by
the three-way merge of undo, so undo can take it back. Where that is a guess, the project's file
stays as it is, and the worktree's version is kept beside the thread.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...config.security.file_lock import acquire_file_lock
from ...config.security.private_files import make_private_folder, replace_file
from ..snapshots.file_version import (
    ABSENT,
    FileVersion,
    PathChange,
    filter_visible,
    is_folder,
)
from ..snapshots.store import Snapshots
from ..snapshots.working_tree import read_version
from ..undo.history import FileHistory, HistoryEntry
from ..undo.restore import Conflict, RestoreResult, execute_plan, finish_entry
from ..undo.restore_plan import plan_restore
from .record import Worktree

_BOTH_ADDED = "it is new in the worktree, and was added to the project with other content"
_DELETED_HERE = "the worktree changed it, and it was deleted in the project"
_DELETED_THERE = "the worktree deleted it, and it was changed in the project"
_BOTH_CHANGED = "the worktree and the project changed the same lines, or it is not text"


@dataclass(frozen=True)
class MergeConflict:
    """A file that the merge left alone in the project."""

    path: str
    reason: str
    """As a message."""
    kept: Path | None
    """A copy of the worktree's version; None if the worktree deleted the file."""


@dataclass(frozen=True)
class MergeResult:
    """What a merge did; done again, it says the same."""

    tree: str
    """The worktree's snapshot that was merged; its difference from the base is all its changes."""
    changes: tuple[PathChange, ...] = ()
    """All changes of the worktree."""
    paths: tuple[str, ...] = ()
    """The project's files that changed."""
    merged: frozenset[str] = frozenset()
    """Those in which changes of others are kept."""
    conflicts: tuple[MergeConflict, ...] = ()
    entry: HistoryEntry | None = None
    """None if the project did not change."""


async def merge_worktree(
    worktree: Worktree,
    snapshots: Snapshots,
    history: FileHistory,
    *,
    thread_id: str,
    key: str,
    turn: int,
    tool: str,
    keep: Path,
) -> MergeResult:
    """Merge the worktree's changes into the project; nothing may run in the worktree meanwhile.

    The same `key` is the same merge: one that was killed is finished, and one that is done is not
    done again. `snapshots` are the project's; `keep` is the thread's folder for the versions of the
    worktree that conflict.
    """
    entry_key = f"merge-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    tree = await snapshots.open_beside(worktree.folder).take()
    changes = await snapshots.list_changes(worktree.base, tree)
    merge = _Merge(snapshots, history, thread_id, entry_key, turn, tool, tree, tuple(changes))
    async with acquire_file_lock(snapshots.directory / "merge.lock"):
        done = await merge.execute()
    conflicts = await merge.keep_conflicts(done.conflicts, keep / entry_key)
    return MergeResult(
        tree, tuple(filter_visible(changes)), done.paths, done.merged, conflicts, done.entry
    )


@dataclass(frozen=True)
class _Merge:
    snapshots: Snapshots
    history: FileHistory
    thread_id: str
    key: str
    turn: int
    tool: str
    tree: str
    changes: tuple[PathChange, ...]

    async def execute(self) -> RestoreResult:
        """Apply the changes, or finish what a killed process began."""
        entries = await asyncio.to_thread(self.history.list_entries, self.thread_id)
        known = next((entry for entry in entries if entry.key == self.key), None)
        if known and known.state == "started":
            result = await finish_entry(self.snapshots, self.history, self.thread_id, known)
            return replace(result, conflicts=self._list_left_alone(result.entry))
        if known:
            paths = tuple(change.path for change in filter_visible(known.changes))
            return RestoreResult(paths, frozenset(), self._list_left_alone(known), known)
        # undoing the reverse is the same merge
        reverse = [PathChange(c.path, c.new, c.old) for c in self.changes]
        planned = await plan_restore(self.snapshots, [self._build_entry(reverse)])
        if not planned.changes:
            return RestoreResult((), frozenset(), planned.conflicts, None)
        return await execute_plan(
            self.snapshots,
            self.history,
            self.thread_id,
            replace(planned, reverted=()),
            "merge",
            self.turn,
            key=self.key,
            tool=self.tool,
        )

    def _build_entry(self, changes: Sequence[PathChange]) -> HistoryEntry:
        return HistoryEntry(
            number=0,
            key=self.key,
            kind="merge",
            tool=self.tool,
            turn=self.turn,
            before="",
            after="",
            changes=tuple(changes),
            reverted=(),
            state="done",
            sure=True,
            created_at="",
        )

    def _list_left_alone(self, entry: HistoryEntry | None) -> tuple[Conflict, ...]:
        left = entry.left_alone if entry else frozenset[str]()
        return tuple(Conflict(path, _BOTH_CHANGED) for path in sorted(left))

    async def keep_conflicts(
        self, conflicts: Sequence[Conflict], folder: Path
    ) -> tuple[MergeConflict, ...]:
        """Keep the worktree's version of each conflicting file in the folder."""
        theirs = {change.path: change for change in self.changes}
        left = [one for one in conflicts if one.path in theirs and not is_folder(one.path)]
        blobs = [theirs[one.path].new.blob for one in left if theirs[one.path].new.has_content]
        contents = await self.snapshots.read_blobs(blobs)
        return tuple(
            [
                await asyncio.to_thread(self._keep_version, one, theirs[one.path], contents, folder)
                for one in left
            ]
        )

    def _keep_version(
        self, conflict: Conflict, change: PathChange, contents: Mapping[str, bytes], folder: Path
    ) -> MergeConflict:
        kept = None
        if change.new.has_content:
            kept = folder / conflict.path
            make_private_folder(kept.parent)
            replace_file(kept, contents[change.new.blob])
        now = read_version(self.snapshots.folder, conflict.path)
        return MergeConflict(conflict.path, _explain(change, now, conflict.reason), kept)


def _explain(change: PathChange, now: FileVersion, reason: str) -> str:
    """Return the reason in a merge's words; those of an undo mean the reverse."""
    if change.old == ABSENT and now != ABSENT:
        return _BOTH_ADDED
    if now == ABSENT != change.old:
        return _DELETED_HERE
    if change.new == ABSENT:
        return _DELETED_THERE
    return reason
