"""Children that the user did not wait for: the answers to their calls, and what they changed, which
is saved as a file.
"""

import asyncio
from collections.abc import Sequence

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from ...config.security.private_files import make_private_folder, replace_file
from ...config.text import text
from ...memory.threads.sub_runs import ENDED, SubRun, SubRuns
from ...memory.worktrees.record import Worktree, list_worktrees
from ...memory.worktrees.removal import remove_worktree
from ..events.progress import Notice
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from .calls import open_sub_runs

KILLED = (
    "[{id}: killed]\nThe user did not wait for it. What it had changed by then is in the files."
)
KILLED_APART = (
    "[{id}: killed]\nThe user did not wait for it. What it had changed was in a copy of the "
    "project, and is not in the files."
)
SAVED = "the changes of `{agent}`, which are not in the project: {file}"


def answer_with_reports(
    messages: Sequence[ToolMessage], sub_runs: SubRuns, thread: str
) -> list[ToolMessage]:
    """Return the answers to abandoned calls, with the reports that exist. Blocks."""
    rows = sub_runs.list_sub_runs(thread)
    return [_add_reports(message, rows) for message in messages]


def end_abandoned(sub_runs: SubRuns, thread: str) -> None:
    """Record children that have not ended as killed. Blocks."""
    for row in sub_runs.list_sub_runs(thread):
        if row.status not in ENDED:
            sub_runs.finish(
                thread, row.sub_id, "killed", requests=0, tokens=0, cost=None, report=""
            )


def _add_reports(message: ToolMessage, rows: Sequence[SubRun]) -> ToolMessage:
    call_rows = sorted(
        (row for row in rows if row.call_id == message.tool_call_id), key=lambda row: row.position
    )
    if not call_rows:
        return message
    texts = [
        row.report if row.status in ENDED and row.report else _describe_abandoned(row)
        for row in call_rows
    ]
    return message.model_copy(update={"content": "\n\n".join(texts)})


def _describe_abandoned(row: SubRun) -> str:
    return (KILLED_APART if row.worktree else KILLED).format(id=row.sub_id)


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
