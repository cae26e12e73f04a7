"""Merge of a worktree's changes into the project, as one entry of a thread's file history.

The changes of the worktree since its creation are applied to the project's current files, by the
three-way merge of undo, so they can be undone. On a conflict the project's file stays as it is, and
the worktree's version is saved with the thread.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...config.security.file_lock import acquire_file_lock
from ...config.security.private_files import make_private_folder, replace_file
from ...config.text import text
from ..snapshots.file_version import ABSENT, FileVersion, PathChange, filter_visible, is_folder
from ..snapshots.store import Snapshots
from ..snapshots.working_tree import read_version
from ..undo.history import FileHistory, HistoryEntry
from ..undo.restore import Conflict, RestoreResult, execute_plan, finish_entry
from ..undo.restore_plan import plan_restore
from .record import Worktree

_BOTH_ADDED = "the worktree and the project both added it, with different content"
_DELETED_HERE = "the worktree changed it, and the project deleted it"
_DELETED_THERE = "the worktree deleted it, and the project changed it"
_BOTH_CHANGED = "the worktree and the project changed the same lines, or it is not text"


@dataclass(frozen=True)
class MergeConflict:
    """A file that the merge left alone in the project."""

    path: str
    reason: str
    """As a message."""
    kept: Path | None
    """A copy of the worktree's version; None if the worktree deleted the file."""

    @property
    def notice(self) -> str:
        """What the user is told."""
        return text(
            "not merged: `{path}`: {reason}; the agent's version: {kept}",
            path=self.path,
            reason=self.reason,
            kept=self.kept or "-",
        )


@dataclass(frozen=True)
class MergeResult:
    """What a merge did; the same if it is repeated."""

    tree: str
    """The worktree's snapshot that was merged."""
    changes: tuple[PathChange, ...] = ()
    """All changes of the worktree."""
    paths: tuple[str, ...] = ()
    """The project's files that changed."""
    merged: frozenset[str] = frozenset()
    """Those in which the project's own changes were kept."""
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

    The `key` identifies the merge: a killed merge is finished, and a finished one is not repeated.
    `snapshots` are the project's; `keep` is the thread's folder for the worktree's versions of
    files in conflict.
    """
    entry_key = f"merge-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    tree = await snapshots.open_for_folder(worktree.folder).take()
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
        entry = next((entry for entry in entries if entry.key == self.key), None)
        if entry and entry.state == "started":
            result = await finish_entry(self.snapshots, self.history, self.thread_id, entry)
            return replace(result, conflicts=self._list_skipped(result.entry))
        if entry:
            paths = tuple(change.path for change in filter_visible(entry.changes))
            return RestoreResult(paths, frozenset(), self._list_skipped(entry), entry)
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

    def _list_skipped(self, entry: HistoryEntry | None) -> tuple[Conflict, ...]:
        paths = entry.skipped if entry else frozenset[str]()
        return tuple(Conflict(path, _BOTH_CHANGED) for path in sorted(paths))

    async def keep_conflicts(
        self, conflicts: Sequence[Conflict], folder: Path
    ) -> tuple[MergeConflict, ...]:
        """Keep the worktree's version of each conflicting file in the folder."""
        own_changes = {change.path: change for change in self.changes}
        files = [
            conflict
            for conflict in conflicts
            if conflict.path in own_changes and not is_folder(conflict.path)
        ]
        blobs = [
            own_changes[conflict.path].new.blob
            for conflict in files
            if own_changes[conflict.path].new.has_content
        ]
        contents = await self.snapshots.read_blobs(blobs)
        return tuple(
            [
                await asyncio.to_thread(
                    self._keep_version, conflict, own_changes[conflict.path], contents, folder
                )
                for conflict in files
            ]
        )

    def _keep_version(
        self, conflict: Conflict, change: PathChange, contents: Mapping[str, bytes], folder: Path
    ) -> MergeConflict:
        copy = None
        if change.new.has_content:
            copy = folder / conflict.path
            make_private_folder(copy.parent)
            replace_file(copy, contents[change.new.blob])
        current = read_version(self.snapshots.folder, conflict.path)
        return MergeConflict(conflict.path, _explain(change, current, conflict.reason), copy)


def _explain(change: PathChange, current: FileVersion, reason: str) -> str:
    """Return the reason as a merge states it: an undo's reason has the two sides reversed."""
    if change.old == ABSENT and current != ABSENT:
        return _BOTH_ADDED
    if current == ABSENT != change.old:
        return _DELETED_HERE
    if change.new == ABSENT:
        return _DELETED_THERE
    return reason
