"""Go back in a thread's conversation, or go on from there on a thread of its own.

Nothing is deleted: what is left by going back stays in the database and can be gone to again. Only
what changes a conversation loads LangGraph.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...config import paths
from ...config.errors import UsageError
from ...config.security.redaction import redacted
from ...memory.checkpoints.steps import CALLING, JUDGING, Step
from ...memory.journal import Journal
from ...memory.threads import thread_id
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import STATUS_OF_OUTCOME, Status, ThreadRow, title_of
from ..tracing import untraced
from .steps import head_of

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from ...nodes.state import RoleName, State
    from ..run import Graph


async def rewind_talk(row: ThreadRow, home: Path, step: Step) -> None:
    """Put the conversation back to the step, in place; `resume` goes on from there.

    The thread must be held.
    """
    async with _graph(row, home) as graph:
        at = {"thread_id": row.thread_id, "checkpoint_ns": "", "checkpoint_id": step.checkpoint_id}
        await graph.aupdate_state({"configurable": at}, None, as_node="__copy__")
    await asyncio.to_thread(_note, row.thread_id, home, step)


def _note(thread: str, home: Path, step: Step) -> None:
    """Say on the list of threads how it stands; what a later run had proved holds no longer."""
    proof: Mapping[str, object] | None = {} if step.next else None
    ThreadIndex(home).set_status(thread, _status(step), evidence=proof)


async def fork(row: ThreadRow, home: Path, step: Step, say: str | None = None) -> ThreadRow:
    """A new thread that shares all up to the step; nothing of the parent changes.

    `say` is new input: at step 0 it stands in place of the request, at the end it begins a new job,
    in between the role that speaks next reads it.
    """
    if say is not None and not say.strip():
        raise UsageError("the new input is empty", hint="say what should be done instead")
    say = say and redacted(say)
    forked = _row(row, step, say)
    since = step.checkpoint_id if step.number else ""
    await asyncio.to_thread(_put, home, forked, since, step.file_entry)
    if say is not None and step.number:
        await _tell(forked, home, step, say)
        await asyncio.to_thread(ThreadIndex(home).set_status, forked.thread_id, forked.status)
    return forked


async def copy(row: ThreadRow, home: Path) -> ThreadRow:
    """A new thread that has all of this one as it stands, also in the middle of a stopped turn.

    A call or a question that is open stays the parent's alone: the fork hears what is known of it.
    """
    head = await asyncio.to_thread(head_of, row, home)
    is_open = head.next in CALLING
    forked = _row(row, head, None)
    upto = (
        head.file_entry if is_open else sys.maxsize
    )  # files that were put back since belong to it
    await asyncio.to_thread(_put, home, forked, head.checkpoint_id, upto)
    if is_open:
        await _leave_calls(forked, home)
    return forked


def _row(row: ThreadRow, step: Step, say: str | None) -> ThreadRow:
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    request = say if say and not step.number else row.request
    return replace(
        row,
        thread_id=thread_id.new(),
        request=request,
        title=title_of(request) if say and not step.number else row.title,
        name="",
        status="interrupted" if say is not None else _status(step),
        created_at=now,
        updated_at=now,
        evidence=None if step.next else row.evidence,
        parent=row.thread_id,
        parent_step=step.number,
    )


def _put(home: Path, forked: ThreadRow, checkpoint: str, upto: int) -> None:
    """Keep the fork, which shares the outputs of commands that its conversation names."""
    outputs = paths.outputs_folder(home, forked.parent)
    if outputs.is_dir():
        shared = paths.outputs_folder(home, forked.thread_id)
        shutil.copytree(outputs, shared, copy_function=os.link)
    ThreadIndex(home).fork(forked, checkpoint, upto)


async def _leave_calls(forked: ThreadRow, home: Path) -> None:
    """Answer the calls that are open, by what the parent's journal says; nothing comes of them."""
    from langgraph.types import Command

    from ...nodes.agent.cancelled_calls import left_calls
    from ...nodes.agent.message_history import newest_first

    journal = Journal(paths.database(home))
    async with _graph(forked, home) as graph:
        config: RunnableConfig = {"configurable": {"thread_id": forked.thread_id}}
        state = cast("State", (await graph.aget_state(config)).values)
        role = cast("RoleName", state.get("role"))
        heard = newest_first(state, role)
        with closing(journal):
            left = await asyncio.to_thread(left_calls, heard, role, journal, forked.parent)
        update: dict[str, object] = {"messages": left, "queue": [], "asked": [], "draft": {}}
        await graph.aupdate_state(config, Command(goto=role, update=update), as_node=role)
    await asyncio.to_thread(ThreadIndex(home).set_status, forked.thread_id, forked.status)


async def _tell(forked: ThreadRow, home: Path, step: Step, say: str) -> None:
    """Put new input into the forked conversation."""
    from langgraph.types import Command

    from ...nodes.agent.message_history import brief
    from ...nodes.state import Task

    async with _graph(forked, home) as graph:
        config: RunnableConfig = {"configurable": {"thread_id": forked.thread_id}}
        if not step.next:
            task = Task(request=say, folder=forked.folder)  # options stay as they were by then
            await graph.aupdate_state(config, task, as_node="__input__")
            return
        role = cast("RoleName", "coder" if step.next in JUDGING else step.next)
        said = {"messages": [brief(role, say)], "turn": max(step.turn, 1) + 1}
        told = Command(goto=role, update={**said, "accepted": False, "rounds": 0})
        await graph.aupdate_state(config, told, as_node=role)


@asynccontextmanager
async def _graph(row: ThreadRow, home: Path) -> "AsyncGenerator[Graph]":
    from ...memory.database.checkpointer import open_checkpointer
    from ..graph_registry import compiled, job_of

    async with open_checkpointer(await asyncio.to_thread(paths.database, home)) as saver:
        with untraced():
            yield compiled(job_of(row.graph), saver)


def _status(step: Step) -> Status:
    return "interrupted" if step.next else STATUS_OF_OUTCOME.get(step.outcome, "unverified")
