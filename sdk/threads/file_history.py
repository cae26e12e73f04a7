"""File history of a thread, and its undo, redo and rewind; does not load LangGraph."""

import asyncio
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ...config import paths
from ...config.errors import UsageError
from ...config.security.private_files import make_private_folder
from ...config.settings.loader import load_settings
from ...config.text import text
from ...memory.snapshots.storage import get_store_directory, locate_worktrees, read_folder
from ...memory.snapshots.store import Snapshots
from ...memory.threads.lease import acquire_lease
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory, HistoryEntry
from ...memory.undo.restore import (
    RestoreResult,
    execute_plan,
    finish_interrupted,
    record_crashed_calls,
)
from ...memory.undo.restore_plan import Conflict, RestorePlan, find_claimed, plan_restore
from ...memory.undo.undo_stack import (
    drop_claimed,
    find_active_entries,
    find_changes_of,
    find_last_restore,
    find_last_turn,
    find_later_entries,
)
from ...tools.filesystem.project_snapshots import open_snapshots
from .workspace import fetch_thread_files, open_workspace, run_aside

RestoreKind = Literal["undo", "redo", "rewind"]


@dataclass(frozen=True)
class ThreadFiles:
    """The files of one thread."""

    thread_id: str
    snapshots: Snapshots
    history: FileHistory
    outputs: Path = Path()
    """Where the thread's whole outputs are."""
    is_gone: bool = False
    """Whether the folder is not here, as that of another machine: only its snapshots are."""

    def read_entries(self) -> list[HistoryEntry]:
        """Return all entries, in order."""
        return self.history.list_entries(self.thread_id)

    def list_restorable(self) -> tuple[list[str], bool]:
        """Return the files whose changes can be undone, and whether an undo can be redone."""
        entries = self.read_entries()
        paths = {change.path for entry in find_active_entries(entries) for change in entry.changes}
        return sorted(paths), bool(find_last_restore(entries))

    async def finish_interrupted(self) -> RestoreResult | None:
        """Finish an interrupted restore, record a killed call; the thread must be leased."""
        await record_crashed_calls(self.snapshots, self.history, self.thread_id)
        finished = await finish_interrupted(self.snapshots, self.history, self.thread_id)
        await self.share(finished)
        return finished

    async def share(self, restored: RestoreResult | None) -> None:
        """Copy what a restore has made to where other machines find it."""
        if restored and restored.entry:
            await self.snapshots.share(self.thread_id, restored.entry.after, self.outputs)

    async def diff(self, after: int = 0, upto: int | None = None) -> str:
        """Return the changes to the thread's files as a unified diff.

        From the entry `after`, to the entry `upto` or to the current files; changes that others
        made to the same files are part of it. Of a folder that is not here, to the last entry.
        """
        every = await asyncio.to_thread(self.read_entries)
        last = upto if upto is not None else every[-1].number if every else 0
        own = [e for e in every if after < e.number <= last and e.after and e.kind != "others"]
        named = {change.path for entry in own for change in entry.changes}
        if not named:
            return ""
        is_past = upto is not None or self.is_gone
        then = own[-1].after if is_past else await self.snapshots.take(sorted(named))
        return await self.snapshots.diff(own[0].before, then, named)

    async def plan_restore(
        self,
        kind: RestoreKind,
        *,
        after: int = 0,
        force: bool = False,
        paths: Collection[str] = (),
    ) -> "PendingRestore | None":
        """Plan to undo, redo or rewind; None if there is nothing to revert.

        A rewind reverts every entry with a number greater than `after`. `force` restores files even
        if others have changed them. An undo of `paths` reverts all changes of these files, in every
        turn, and no other.
        """
        entries = await asyncio.to_thread(self.read_entries)
        selected_entries = (
            find_changes_of(entries, paths) if paths else _select_entries(kind, entries, after)
        )
        if not selected_entries:
            return None
        kept_entries, claimed = selected_entries, ()
        if not force and any(entry.doubtful for entry in selected_entries):
            kept_entries, claimed = await asyncio.to_thread(self._drop_claimed, selected_entries)
        planned = await plan_restore(self.snapshots, kept_entries, force=force)
        return PendingRestore(
            self,
            kind,
            replace(planned, conflicts=(*planned.conflicts, *claimed)),
            tuple(kept_entries),
            turn=entries[-1].turn,
            others=_list_others(entries, selected_entries) if paths else frozenset(),
            claimed=claimed,
        )

    def _drop_claimed(
        self, entries: Sequence[HistoryEntry]
    ) -> tuple[list[HistoryEntry], tuple[Conflict, ...]]:
        """Return the entries without what other threads wrote, and the files that are only theirs.

        Blocks.
        """
        kept_entries = [
            drop_claimed(entry, self.history.find_claims(entry, self.thread_id))
            if entry.doubtful
            else entry
            for entry in entries
        ]
        return kept_entries, find_claimed(self.snapshots.folder, entries, kept_entries)


@dataclass(frozen=True)
class PendingRestore:
    """A planned restore, to show first."""

    files: ThreadFiles
    kind: RestoreKind
    plan: RestorePlan
    entries: tuple[HistoryEntry, ...]
    """The entries to revert."""
    turn: int
    others: frozenset[str] = frozenset()
    """Files of the entries that are to stay as they are."""
    claimed: tuple[Conflict, ...] = ()
    """Files that another thread wrote: they are skipped, and never asked about again."""

    async def resolve_doubtful(self, *, ours: bool) -> "PendingRestore":
        """Revert doubtful changes made while a command ran, too; or record them as others'."""
        planned = await plan_restore(
            self.files.snapshots, self.entries, doubtful="take" if ours else "theirs"
        )
        return replace(self, plan=replace(planned, conflicts=(*planned.conflicts, *self.claimed)))

    async def apply(self) -> RestoreResult:
        """Apply the plan; the thread must be leased since it was planned."""
        files = self.files
        plan = replace(self.plan, skipped=self.plan.skipped | self.others)
        restored = await execute_plan(
            files.snapshots, files.history, files.thread_id, plan, self.kind, self.turn
        )
        await files.share(restored)
        return restored


def open_thread_files(row: ThreadRow, home: Path) -> ThreadFiles:
    """Return the files of a thread; raises UsageError if its folder is gone."""
    folder = Path(row.folder)
    if not row.folder or not folder.is_dir():
        raise UsageError(
            text(
                "the folder of thread `{thread_id}` does not exist: `{folder}`",
                thread_id=row.thread_id[:8],
                folder=row.folder,
            ),
            hint="move it back, or run `mcode threads move ID FOLDER` if it was renamed; "
            "`threads fork` and `rewind --talk` work without the files",
        )
    snapshots = open_snapshots(folder, home, load_settings(folder, home).settings)
    outputs = paths.locate_outputs(home, row.thread_id)
    return ThreadFiles(row.thread_id, snapshots, FileHistory(paths.locate_database(home)), outputs)


def open_recorded_files(row: ThreadRow, home: Path) -> ThreadFiles:
    """Return the files of a thread to be read; without its folder they are read in its snapshots.

    Those of a worktree that is gone are here, those of another machine in the storage, if one is
    configured. Raises UsageError for another folder that is gone.
    """
    folder = Path(row.folder)
    history = FileHistory(paths.locate_database(home))
    if folder.is_dir():
        files = open_thread_files(row, home)
        last = history.get_last_entry(row.thread_id)
        if not files.snapshots.is_shared or not last or files.snapshots.has_tree(last.before):
            return files
        snapshots = _fetch_snapshots(row.thread_id, home)  # the folder is another machine's, too
    elif project := _find_project(folder, home):
        snapshots = open_snapshots(project, home, load_settings(project, home).settings)
    else:
        snapshots = _fetch_snapshots(row.thread_id, home)
    if snapshots is None:
        return open_thread_files(row, home)
    return ThreadFiles(row.thread_id, snapshots, history, is_gone=True)


def _fetch_snapshots(thread_id: str, home: Path) -> Snapshots | None:
    """Return what the storage has of a thread; None without. Its files stay as they are."""
    outputs = paths.locate_outputs(home, thread_id)
    settings = load_settings(home, home).settings
    if not settings.storage:
        return None
    make_private_folder(outputs)
    snapshots = open_snapshots(outputs, home, settings)
    tree, _ = run_aside(snapshots.fetch(thread_id, outputs))
    return snapshots if tree else None


def _find_project(folder: Path, home: Path) -> Path | None:
    """Return the project that a worktree was made from, if it is there."""
    stores = paths.ensure_data_folder(home) / "snapshots"
    if not folder.is_relative_to(locate_worktrees(stores)):
        return None
    project = read_folder(get_store_directory(folder, stores))
    return project if project and project.is_dir() else None


@contextmanager
def open_leased_files(row: ThreadRow, home: Path) -> Generator[ThreadFiles]:
    """Yield the thread's files and hold its lease; raises ThreadBusyError.

    What another machine has changed is brought here first, where a storage is configured.
    """
    row = open_workspace(row, home)
    files = open_thread_files(row, home)
    with acquire_lease(home, row.thread_id):
        if files.snapshots.is_shared:
            bringing = (row.thread_id, row.folder, home, files.snapshots, files.history)
            run_aside(fetch_thread_files(*bringing))
        yield files


def _list_others(entries: list[HistoryEntry], selected: list[HistoryEntry]) -> frozenset[str]:
    """Return the files of the entries whose changes are not selected."""
    numbers = {entry.number for entry in selected}
    touched = [entry.changes for entry in entries if entry.number in numbers]
    reverted = {each.path for entry in selected for each in entry.changes}
    return frozenset(each.path for changes in touched for each in changes) - reverted


def _select_entries(
    kind: RestoreKind, entries: list[HistoryEntry], after: int
) -> list[HistoryEntry]:
    match kind:
        case "undo":
            return find_last_turn(entries)
        case "redo":
            restore = find_last_restore(entries)
            return [restore] if restore else []
        case "rewind":
            return find_later_entries(entries, after)
