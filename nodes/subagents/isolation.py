"""A child's worktree: created from the thread's files, merged as one entry of its history."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from langgraph.runtime import Runtime

from ...memory.threads.sub_runs import SubRun
from ...memory.worktrees.creation import create_worktree
from ...memory.worktrees.merge import MergeConflict, MergeResult, merge_worktree
from ...memory.worktrees.record import Worktree, find_worktree
from ...memory.worktrees.removal import remove_worktree
from ..children.task import SubagentTask
from ..events.progress import Notice
from ..run.context import Context
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.snapshot_recorder import emit_changes, take_workspace_snapshot
from .calls import open_sub_runs

TOOL = "subagent"
NOT_MERGED = "Not merged because of conflicts; the project keeps its own version:\n{files}"


@dataclass(frozen=True)
class MergedChild:
    """The result of merging a child's worktree."""

    files: Sequence[str]
    tree: str
    file_entry: int
    remark: str
    """For the parent: what could not be merged; usually empty."""


async def open_worktree(
    task: SubagentTask, row: SubRun, deps: Dependencies, runtime: Runtime[Context]
) -> Worktree:
    """Return the child's worktree; create it from the current files if it does not exist."""
    existing = find_worktree(Path(row.worktree), deps.home) if row.worktree else None
    if existing:
        return existing
    worktree = await create_worktree(
        deps.snapshots,
        thread_id=row.thread_id,
        key=row.sub_id,
        tree=await take_workspace_snapshot(deps, runtime, task["tree"]),
        sandboxed=deps.sandbox.is_on,
    )
    rows = await asyncio.to_thread(open_sub_runs, deps)
    await asyncio.to_thread(rows.set_worktree, row.thread_id, row.sub_id, str(worktree.folder))
    return worktree


async def merge_child(
    worktree: Worktree,
    task: SubagentTask,
    row: SubRun,
    deps: Dependencies,
    runtime: Runtime[Context],
) -> MergedChild:
    """Merge the child's changes into the project and remove its worktree; can be repeated."""
    await take_workspace_snapshot(deps, runtime, task["tree"])
    result = await merge_worktree(
        worktree,
        deps.snapshots,
        deps.history,
        thread_id=row.thread_id,
        key=row.sub_id,
        turn=task["turn"],
        tool=TOOL,
        keep=deps.locate_outputs(row.thread_id),
    )
    tree = await deps.snapshots.take()
    _emit_merge(runtime, result, tree, row.sub_id)
    await runtime.context.pool.close_folder(str(worktree.folder))
    await remove_worktree(deps.snapshots, worktree)
    return MergedChild(
        result.paths, tree, await deps.find_last_entry(row.thread_id), _describe(result.conflicts)
    )


def _emit_merge(runtime: Runtime[Context], result: MergeResult, tree: str, sub_id: str) -> None:
    if result.entry:
        emit_changes(runtime, result.entry.changes, "merge", tree)
    for conflict in result.conflicts:
        emit(runtime, Notice(conflict.notice, agent=sub_id))


def _describe(conflicts: Sequence[MergeConflict]) -> str:
    if not conflicts:
        return ""
    lines = [
        f"- {conflict.path}: {conflict.reason}"
        + (f"; the agent's version: {conflict.kept}" if conflict.kept else "")
        for conflict in conflicts
    ]
    return NOT_MERGED.format(files="\n".join(lines))
