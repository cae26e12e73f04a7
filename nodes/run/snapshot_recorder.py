"""Record of the thread's changes to the workspace: a snapshot before each call and one after.

Changes in between, while no step of the thread ran, were made by others and are recorded as theirs:
they are never undone.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from langgraph.runtime import Runtime

from ...config.text import text
from ...memory.snapshots.file_version import ABSENT, PathChange, filter_visible, list_parent_folders
from ...memory.snapshots.git_objects import MissingObjectError
from ...memory.threads.lease import find_holder
from ...memory.undo.git_state import GitState, read_git_state
from ...memory.undo.history import HistoryEntry, HistoryKind
from ...tools.shell.named_paths import NamedPaths
from ..events.progress import FilesChanged, Notice, Progress
from .context import Context, get_thread_id
from .dependencies import Dependencies
from .emit import emit

# A command that may check files out itself
_NAMES_GIT = re.compile(
    r"(?:^|[\s;&|({`\"'])(?:[\w.~-]*/)*(?:git|gh|glab|hub|jj|tig|lazygit)(?=[\s;&|)}`\"']|$)"
)


@dataclass
class FileRecord:
    """One call or test run that may change files: take a snapshot, begin, run, finish."""

    deps: Dependencies
    runtime: Runtime[Context]
    key: str
    """ID of the call: recorded again under the same ID, it is the same entry."""
    kind: Literal["tool", "shell"]
    tool: str
    turn: int
    """Number of the user's requests so far."""
    tree: str
    """The last snapshot of this record; at first, the thread's."""
    named: NamedPaths = NamedPaths()
    """The paths that the command names: others may have made new files that it does not name."""
    _git: GitState | None = None
    """What git had checked out when a command that does not name git began."""
    _beside: set[str] = field(default_factory=set[str])
    """Others whose commands ran in the folder when this one began: threads, and background
    commands of this one."""

    async def take_snapshot(self, named: Sequence[str] = ()) -> None:
        """Snapshot the workspace before the call; `named` are files that a tool will write."""
        self.tree = await take_workspace_snapshot(self.deps, self.runtime, self.tree, named)

    def find_entry(self) -> HistoryEntry | None:
        """Return its entry in the history, if any; blocks."""
        entries = self.deps.history.list_entries(get_thread_id(self.runtime))
        return next((entry for entry in entries if entry.key == self.key), None)

    def begin(self) -> None:
        """Record the call before it runs; blocks."""
        thread = get_thread_id(self.runtime)
        self.deps.history.begin_entry(
            thread, self.key, self.kind, before=self.tree, turn=self.turn, tool=self.tool
        )
        if self.kind == "shell":
            if not _NAMES_GIT.search(self.named.text):
                self._git = read_git_state(self.deps.workspace.root)
            self._beside = _find_running_commands(self.deps, self.runtime)
            if background := self.runtime.context.pool.background.find(thread):
                self._beside |= {command.id for command in background.running}

    async def finish(self, written: Sequence[str] = ()) -> None:
        """Record its changes: a tool's `written` files only, for a command all changed files.

        Changes recorded by other threads meanwhile are left out. Some others are doubtful: new
        files that the command does not name, and if a command of another thread or one in the
        background ran beside it, or somebody used git, all files not named.
        """
        self.tree = await self.deps.snapshots.take(written)
        # before the history names it: another machine may go on from there
        await self.deps.share_snapshot(get_thread_id(self.runtime), self.tree)
        await asyncio.to_thread(self._record_changes, written)

    def _record_changes(self, written: Sequence[str]) -> None:
        """Finish its entry in the history, and record what others did."""
        thread, history = get_thread_id(self.runtime), self.deps.history
        entry = history.get_last_entry(thread)
        if entry is None or entry.key != self.key or entry.state == "done":
            return  # a process that died right afterwards has finished it
        changes = _compare_snapshots(self.deps, self.runtime, entry.before, self.tree)
        claims = history.find_claims_since(entry, thread)
        named = {*written, *(above for path in written for above in list_parent_folders(path))}
        own = [
            change
            for change in changes
            if (self.kind == "shell" and (change.path, change.new) not in claims)
            or change.path in named
        ]
        ours = {change.path for change in own}
        theirs = [change for change in changes if change.path not in ours]
        beside = self._beside | history.find_commands_since(thread, entry)
        uses_git = self._has_git_moved()
        doubtful = [
            change.path
            for change in filter_visible(own)
            if not (change.path in named or self.named.has_path(change.path))
            and (beside or uses_git or change.old == ABSENT)
        ]
        history.finish_entry(thread, self.key, after=self.tree, changes=own, doubtful=doubtful)
        emit_changes(self.runtime, own, self.kind, self.tree)
        _record_others(self.deps, self.runtime, entry.before, self.tree, self.turn, theirs)

    def _has_git_moved(self) -> bool:
        """Return whether somebody has checked out, stashed or reset files while it ran."""
        if self._git is None:
            return False
        return not self._git.is_same(read_git_state(self.deps.workspace.root))

    async def build_update(self) -> dict[str, Any]:
        """Return the state changes for the thread's current files."""
        return await build_file_state(self.deps, self.runtime, self.tree)


def _find_running_commands(deps: Dependencies, runtime: Runtime[Context]) -> set[str]:
    """Find running commands; none of a killed thread still runs, whatever its history says."""
    running_threads = deps.history.find_running_commands(get_thread_id(runtime))
    return {thread for thread in running_threads if find_holder(deps.home, thread)}


async def take_workspace_snapshot(
    deps: Dependencies, runtime: Runtime[Context], last_tree: str, named: Sequence[str] = ()
) -> str:
    """Snapshot the workspace; record what others changed meanwhile.

    `last_tree` is the thread's last snapshot.
    """

    def report_progress(done: int, total: int) -> None:
        emit(runtime, Progress(task="snapshot", done=done, total=total))

    tree = await deps.snapshots.take(named, report_progress)
    await deps.share_snapshot(get_thread_id(runtime), tree)
    await asyncio.to_thread(_record_between, deps, runtime, last_tree, tree)
    if deps.snapshots.skipped:
        emit(runtime, Notice(deps.snapshots.skipped))
    return tree


def _record_between(
    deps: Dependencies, runtime: Runtime[Context], last_tree: str, tree: str
) -> None:
    """Record what others changed since the thread's last entry."""
    last = deps.history.get_last_entry(get_thread_id(runtime))
    before = last.after if last else last_tree
    if before and before != tree:
        theirs = _compare_snapshots(deps, runtime, before, tree)
        _record_others(deps, runtime, before, tree, last.turn if last else 1, theirs)


async def build_file_state(
    deps: Dependencies, runtime: Runtime[Context], tree: str
) -> dict[str, Any]:
    """Return the state changes for the thread's files; `tree` is their snapshot."""
    return {"tree": tree, "file_entry": await deps.find_last_entry(get_thread_id(runtime))}


def _compare_snapshots(
    deps: Dependencies, runtime: Runtime[Context], old: str, new: str
) -> Sequence[PathChange]:
    """Return the differences; if a snapshot is lost, say so and continue."""
    try:
        return deps.snapshots.read_changes(old, new)
    except MissingObjectError as error:
        emit(
            runtime,
            Notice(text("{message}; changes since then are not recorded", message=error.message)),
        )
        return ()


def _record_others(
    deps: Dependencies,
    runtime: Runtime[Context],
    before: str,
    after: str,
    turn: int,
    changes: Sequence[PathChange],
) -> None:
    deps.history.record_entry(
        get_thread_id(runtime),
        f"others-{uuid4().hex}",
        "others",
        before=before,
        after=after,
        turn=turn,
        changes=changes,
    )
    emit_changes(runtime, changes, "others", after)


def emit_changes(
    runtime: Runtime[Context], changes: Sequence[PathChange], by: HistoryKind, tree: str
) -> None:
    """Emit the changed files; `tree` is the snapshot after the change."""
    files: list[Mapping[str, str]] = [
        {"path": c.path, "kind": c.kind, "by": by} for c in filter_visible(changes)
    ]
    if files:
        emit(runtime, FilesChanged(files=files, tree=tree))
