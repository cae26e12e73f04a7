"""Record what the thread does to the workspace: a snapshot before each call and one after.

What changed in between, while no step of the thread ran, is the doing of others and is recorded as
theirs: it is never taken back.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from langgraph.runtime import Runtime

from ...config.text import text
from ...memory.snapshots.file_version import ABSENT, PathChange, filter_visible, list_parent_folders
from ...memory.snapshots.git_objects import MissingObjectError
from ...memory.threads.lease import find_holder
from ...memory.undo.history import HistoryEntry, HistoryKind
from ...tools.shell.named_paths import NamedPaths
from .context import Context, get_thread_id
from .dependencies import Dependencies
from .emit import emit_event


@dataclass
class FileRecord:
    """One call, or one run of the tests, that may change files: look, begin, act, finish."""

    deps: Dependencies
    runtime: Runtime[Context]
    key: str
    """Id of the call: recorded again under the same one, it is the same entry."""
    kind: Literal["tool", "shell"]
    tool: str
    turn: int
    """How often the human had asked for something."""
    tree: str
    """The workspace as this record saw it last; at first, as the thread did."""
    named: NamedPaths = NamedPaths()
    """What the command names: new files that it does not may be the doing of others."""
    _beside: set[str] = field(default_factory=set[str])
    """Other threads whose commands ran in the folder when this one began."""

    async def take_snapshot(self, named: Sequence[str] = ()) -> None:
        """See the workspace before anything happens; `named` are files that a tool is to write."""
        self.tree = await take_workspace_snapshot(self.deps, self.runtime, self.tree, named)

    def find_entry(self) -> HistoryEntry | None:
        """What is on record of it already; blocks."""
        entries = self.deps.history.list_entries(get_thread_id(self.runtime))
        return next((entry for entry in entries if entry.key == self.key), None)

    async def begin(self) -> None:
        """Put it on record before it happens."""
        await asyncio.to_thread(
            self.deps.history.begin_entry,
            get_thread_id(self.runtime),
            self.key,
            self.kind,
            before=self.tree,
            turn=self.turn,
            tool=self.tool,
        )
        if self.kind == "shell":
            self._beside = await asyncio.to_thread(_find_running_commands, self.deps, self.runtime)

    async def finish(self, written: Sequence[str] = ()) -> None:
        """Record what it did: a tool only what it has `written`, a command all that has changed.

        But for what other threads are on record to have done meanwhile. Of the rest some may be
        the doing of others: new files that the command does not name, and where a command of
        another thread ran beside it whatever it does not name.
        """
        self.tree = await self.deps.snapshots.take(written)
        thread, history = get_thread_id(self.runtime), self.deps.history
        entry = await asyncio.to_thread(history.get_last_entry, thread)
        if entry is None or entry.key != self.key or entry.state == "done":
            return  # it was finished by a process that died right after
        changes = await _compare_snapshots(self.deps, self.runtime, entry.before, self.tree)
        known = await asyncio.to_thread(history.find_claims_since, entry, thread)
        named = {*written, *(above for path in written for above in list_parent_folders(path))}
        own = [
            change
            for change in changes
            if (self.kind == "shell" and (change.path, change.new) not in known)
            or change.path in named
        ]
        ours = {change.path for change in own}
        theirs = [change for change in changes if change.path not in ours]
        beside = self._beside | await asyncio.to_thread(history.find_commands_since, thread, entry)
        doubtful = [
            change.path
            for change in filter_visible(own)
            if not (change.path in named or self.named.has_path(change.path))
            and (beside or change.old == ABSENT)
        ]
        await asyncio.to_thread(
            history.finish_entry, thread, self.key, after=self.tree, changes=own, doubtful=doubtful
        )
        emit_changes(self.runtime, own, self.kind, self.tree)
        await _record_others(self.deps, self.runtime, entry.before, self.tree, self.turn, theirs)

    async def build_update(self) -> dict[str, Any]:
        """Where the thread's files stand now, as changes to the state."""
        return await build_file_state(self.deps, self.runtime, self.tree)


def _find_running_commands(deps: Dependencies, runtime: Runtime[Context]) -> set[str]:
    """Of a thread that was killed no command runs, whatever its history says."""
    found = deps.history.find_running_commands(get_thread_id(runtime))
    return {thread for thread in found if find_holder(deps.home, thread)}


async def take_workspace_snapshot(
    deps: Dependencies, runtime: Runtime[Context], known: str, named: Sequence[str] = ()
) -> str:
    """The snapshot of the workspace as it is; what others changed meanwhile is recorded.

    `known` is the one that the thread took last.
    """

    def report_progress(done: int, total: int) -> None:
        emit_event(runtime, "progress", task="snapshot", done=done, total=total)

    tree = await deps.snapshots.take(named, report_progress)
    last = await asyncio.to_thread(deps.history.get_last_entry, get_thread_id(runtime))
    before = last.after if last else known
    if before and before != tree:
        theirs = await _compare_snapshots(deps, runtime, before, tree)
        await _record_others(deps, runtime, before, tree, last.turn if last else 1, theirs)
    if deps.snapshots.skipped:
        emit_event(runtime, "notice", text=deps.snapshots.skipped)
    return tree


async def build_file_state(
    deps: Dependencies, runtime: Runtime[Context], tree: str
) -> dict[str, Any]:
    """Where the thread's files stand, as changes to the state; `tree` is their snapshot."""
    return {"tree": tree, "file_entry": await find_last_entry(deps, runtime)}


async def find_last_entry(deps: Dependencies, runtime: Runtime[Context]) -> int:
    """Number of the last entry of the thread's history of files; 0 before the first."""
    last = await asyncio.to_thread(deps.history.get_last_entry, get_thread_id(runtime))
    return last.number if last else 0


async def _compare_snapshots(
    deps: Dependencies, runtime: Runtime[Context], old: str, new: str
) -> Sequence[PathChange]:
    """What differs; of a snapshot that is lost nothing can be said but that: the thread goes on."""
    try:
        return await deps.snapshots.list_changes(old, new)
    except MissingObjectError as error:
        emit_event(
            runtime,
            "notice",
            text=text("{message}; changes since then are not recorded", message=error.message),
        )
        return ()


async def _record_others(
    deps: Dependencies,
    runtime: Runtime[Context],
    before: str,
    after: str,
    turn: int,
    changes: Sequence[PathChange],
) -> None:
    await asyncio.to_thread(
        deps.history.record_entry,
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
    """Tell which files changed; `tree` is the snapshot after it."""
    files = [{"path": c.path, "kind": c.kind, "by": by} for c in filter_visible(changes)]
    if files:
        emit_event(runtime, "files_changed", files=files, tree=tree)
