"""Changes, checkpoints and rollback of a thread, for programs."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ...memory.checkpoints.steps import ThreadStep
from ...memory.snapshots.file_version import ABSENT, filter_visible
from ...memory.threads.lease import acquire_lease
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import HistoryEntry
from ...memory.undo.restore import RestoreResult
from ...memory.undo.restore_plan import Conflict
from ...memory.undo.undo_stack import find_active_entries
from ...tools.git.hardened_git import read_committed_blobs
from ...tools.result import ToolError
from ...tools.workspace import Workspace
from .file_changes import ThreadFileChange, read_file_changes
from .file_history import PendingRestore, open_thread_files
from .steps import find_step, read_thread_branches
from .time_travel import rewind_talk


@dataclass(frozen=True)
class ThreadChanges:
    """What a thread has changed in the project's files."""

    files: tuple[ThreadFileChange, ...]
    """Each change of each file, in order."""
    uncommitted_before: tuple[str, ...]
    """Those of the files that differed from the last commit before the thread first changed them:
    they hold work of the user's, too. Empty outside git."""
    diff: str
    """All of them from the first state to the current files, as a unified diff."""


@dataclass(frozen=True)
class Rollback:
    """A planned return to a checkpoint: look at it, then `apply` it or leave it."""

    row: ThreadRow
    home: Path
    step: ThreadStep
    restore: PendingRestore | None
    """The planned restore of the files; None: nothing to restore."""
    rewinds_talk: bool
    """Whether the conversation goes back, too."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it restores."""
        changes = filter_visible(self.restore.plan.changes) if self.restore else ()
        return tuple(change.path for change in changes)

    @property
    def conflicts(self) -> Sequence[Conflict]:
        """The files that it leaves alone, since others have changed them."""
        return self.restore.plan.conflicts if self.restore else ()

    async def apply(self) -> RestoreResult | None:
        """Restore the files, then rewind the conversation; return what happened to the files."""
        restored = await self.restore.apply() if self.restore else None
        if self.rewinds_talk:
            await rewind_talk(self.row, self.home, self.step)
        return restored


async def read_changes(row: ThreadRow, home: Path) -> ThreadChanges:
    """Return the changes of a thread; raises UsageError if its folder is gone."""
    files = await asyncio.to_thread(open_thread_files, row, home)
    changes = await asyncio.to_thread(read_file_changes, row, home)
    entries = await asyncio.to_thread(files.read_entries)
    mixed = await _find_uncommitted(Path(row.folder), find_active_entries(entries))
    return ThreadChanges(tuple(changes), mixed, await files.diff())


async def _find_uncommitted(folder: Path, entries: Sequence[HistoryEntry]) -> tuple[str, ...]:
    """Return the changed files whose first version, and whose others, no commit at HEAD has."""
    versions = dict[str, set[str]]()
    for change in (change for entry in entries for change in filter_visible(entry.changes)):
        versions.setdefault(change.path, set()).update((change.old.blob, change.new.blob))
    try:
        committed = await read_committed_blobs(Workspace(folder), list(versions))
    except ToolError:  # no repository, no git, no commit
        return ()
    absent = ABSENT.blob
    return tuple(
        path for path, blobs in versions.items() if committed.get(path, absent) not in blobs
    )


@asynccontextmanager
async def open_rollback(
    row: ThreadRow, home: Path, number: int, *, files: bool, talk: bool, checkpoint_id: str = ""
) -> AsyncGenerator[Rollback]:
    """Yield the planned return to a step, as `find_step` has it, and hold the thread meanwhile.

    Raises UsageError for a step that does not exist, ThreadBusyError while the thread runs.
    """
    with acquire_lease(home, row.thread_id):
        step = await asyncio.to_thread(find_step, row, home, number, checkpoint_id)
        branches = await asyncio.to_thread(read_thread_branches, row, home)
        restore = None
        if files:
            opened = await asyncio.to_thread(open_thread_files, row, home)
            await opened.finish_interrupted()
            restore = await opened.plan_restore("rewind", after=step.file_entry)
        yield Rollback(row, home, step, restore, talk and step.checkpoint_id != branches.tip)
