"""Worktrees of children that the user did not wait for: what they changed is saved as a file."""

import asyncio

from langgraph.runtime import Runtime

from ...config.security.private_files import make_private_folder, replace_file
from ...config.text import text
from ...memory.worktrees.record import Worktree, list_worktrees
from ...memory.worktrees.removal import remove_worktree
from ..events.progress import Notice
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from .calls import open_sub_runs

SAVED = "the changes of `{agent}`, which are not in the project: {file}"


async def remove_abandoned_worktrees(deps: Dependencies, runtime: Runtime[Context]) -> None:
    """Remove the worktrees of the thread's children; none of them works any more."""
    for worktree in await asyncio.to_thread(_list_worktrees, deps, get_thread_id(runtime)):
        await _save_changes(worktree, deps, runtime)
        await runtime.context.pool.close_folder(str(worktree.folder))
        await remove_worktree(deps.snapshots, worktree)


def _list_worktrees(deps: Dependencies, thread: str) -> list[Worktree]:
    children = {row.sub_id for row in open_sub_runs(deps).list_sub_runs(thread) if row.worktree}
    return [
        worktree
        for worktree in (list_worktrees(deps.home) if children else [])
        if worktree.thread_id == thread and worktree.key in children
    ]


async def _save_changes(worktree: Worktree, deps: Dependencies, runtime: Runtime[Context]) -> None:
    tree = await deps.snapshots.open_for_folder(worktree.folder).take()
    diff = await deps.snapshots.diff(worktree.base, tree)
    if not diff:
        return
    folder = deps.locate_outputs(get_thread_id(runtime))
    file = folder / f"{worktree.key}.diff"
    await asyncio.to_thread(make_private_folder, folder)
    await asyncio.to_thread(replace_file, file, diff.encode("utf-8", "surrogateescape"))
    emit(runtime, Notice(text(SAVED, agent=worktree.key, file=file)))
