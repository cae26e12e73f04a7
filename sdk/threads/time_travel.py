"""Rewind of a thread's conversation, and forks from one of its steps.

Nothing is deleted: abandoned branches stay in the database and can be rewound to. Only functions
that change a conversation load LangGraph.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...config import paths
from ...config.errors import UsageError
from ...config.security.redaction import redact
from ...memory.checkpoints.steps import CALL_NODES, VERIFICATION_NODES, ThreadStep
from ...memory.journal import Journal
from ...memory.threads import thread_id
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import STATUS_OF_OUTCOME, ThreadRow, ThreadStatus, build_title
from ...memory.threads.sub_runs import SubRuns
from ..tracing import disable_tracing
from .steps import find_head

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage
    from langchain_core.runnables import RunnableConfig

    from ...memory.cards.card import Card
    from ...nodes.roles import RoleName
    from ...nodes.state import State
    from ..run import Graph


async def rewind_talk(row: ThreadRow, home: Path, step: ThreadStep) -> "Sequence[Card]":
    """Rewind the conversation to the step, in place; `resume` continues from there.

    Returns the cards that the model learnt since, which are retired. The thread must be leased.
    """
    async with _open_graph(row, home) as graph:
        at = {"thread_id": row.thread_id, "checkpoint_ns": "", "checkpoint_id": step.checkpoint_id}
        await graph.aupdate_state({"configurable": at}, None, as_node="__copy__")
    await asyncio.to_thread(_record_rewind, row.thread_id, home, step)
    return await _retire_cards(row, home, step)


async def _retire_cards(row: ThreadRow, home: Path, step: ThreadStep) -> "Sequence[Card]":
    """Retire the cards that the model learnt after the step."""
    from ...memory.cards.store import open_library

    if not await asyncio.to_thread(paths.locate_memory(home).exists):
        return []
    async with open_library(home, Path(row.folder)) as library:
        return await library.retire_after(row.thread_id, step.number)


def _record_rewind(thread: str, home: Path, step: ThreadStep) -> None:
    """Update the thread's status; evidence of later runs no longer holds."""
    proof: Mapping[str, object] | None = {} if step.next else None
    ThreadIndex(home).set_status(thread, _derive_status(step), evidence=proof)


async def fork(row: ThreadRow, home: Path, step: ThreadStep, say: str | None = None) -> ThreadRow:
    """Return a new thread that shares all up to the step; the parent does not change.

    `say` is new input: at step 0 it replaces the request, at the end it starts a new job, in
    between the next role reads it.
    """
    if say is not None and not say.strip():
        raise UsageError("the new input is empty", hint="say what should be done instead")
    say = say and redact(say)
    forked = _build_row(row, step, say)
    since = step.checkpoint_id if step.number else ""
    await asyncio.to_thread(_store_fork, home, forked, since, step.file_entry)
    if say is not None and step.number:
        await _add_input(forked, home, step, say)
        await asyncio.to_thread(ThreadIndex(home).set_status, forked.thread_id, forked.status)
    return forked


async def copy_thread(row: ThreadRow, home: Path, forked_id: str = "") -> ThreadRow:
    """Return a new thread with all of this one, also within a stopped turn.

    Open calls and questions stay with the parent: the fork gets what is known of them. Its ID is
    `forked_id`, or a new one.
    """
    head = await asyncio.to_thread(find_head, row, home)
    is_open = head.next in CALL_NODES
    forked = _build_row(row, head, None)
    forked = replace(forked, thread_id=forked_id or forked.thread_id)
    upto = head.file_entry if is_open else sys.maxsize  # later restores belong to it
    await asyncio.to_thread(_store_fork, home, forked, head.checkpoint_id, upto)
    if is_open:
        await _cancel_calls(forked, home)
    return forked


def _build_row(row: ThreadRow, step: ThreadStep, say: str | None) -> ThreadRow:
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    request = say if say and not step.number else row.request
    return replace(
        row,
        thread_id=thread_id.create_thread_id(),
        request=request,
        title=build_title(request) if say and not step.number else row.title,
        name="",
        status="interrupted" if say is not None else _derive_status(step),
        created_at=now,
        updated_at=now,
        evidence=None if step.next else row.evidence,
        parent=row.thread_id,
        parent_step=step.number,
        questions=0,
    )


def _store_fork(home: Path, forked: ThreadRow, checkpoint: str, upto: int) -> None:
    """Store the fork, with the outputs of commands that its conversation names."""
    outputs = paths.locate_outputs(home, forked.parent)
    if outputs.is_dir():
        shared = paths.locate_outputs(home, forked.thread_id)
        shutil.copytree(outputs, shared, copy_function=os.link)
    ThreadIndex(home).fork(forked, checkpoint, upto)


async def _cancel_calls(forked: ThreadRow, home: Path) -> None:
    """Answer the open calls from what is known of the parent's; they will not run."""
    from langgraph.types import Command

    async with _open_graph(forked, home) as graph:
        config: RunnableConfig = {"configurable": {"thread_id": forked.thread_id}}
        state = cast("State", (await graph.aget_state(config)).values)
        role = cast("RoleName", state.get("role"))
        answers = await asyncio.to_thread(_answer_calls, state, role, home, forked.parent)
        update: dict[str, object] = {"messages": answers, "queue": [], "asked": [], "draft": {}}
        await graph.aupdate_state(config, Command(goto=role, update=update), as_node=role)
    threads = await asyncio.to_thread(ThreadIndex, home)
    await asyncio.to_thread(threads.set_status, forked.thread_id, forked.status)


def _answer_calls(
    state: "State", role: "RoleName", home: Path, parent: str
) -> "Sequence[ToolMessage]":
    """Answer the open calls from the parent's journal, and from the reports of its children."""
    from ...nodes.recovery.cancelled_calls import answer_cancelled_calls
    from ...nodes.run.message_history import iter_newest_first
    from ...nodes.subagents.abandoned_children import answer_with_reports

    database = paths.locate_database(home)
    with closing(Journal(database)) as journal:
        answers = answer_cancelled_calls(iter_newest_first(state, role), role, journal, parent)
    return answer_with_reports(answers, SubRuns(database), parent)


async def _add_input(forked: ThreadRow, home: Path, step: ThreadStep, say: str) -> None:
    """Add new input to the forked conversation."""
    from langgraph.types import Command

    from ...nodes.run.message_history import build_role_message
    from ...nodes.state import Task

    async with _open_graph(forked, home) as graph:
        config: RunnableConfig = {"configurable": {"thread_id": forked.thread_id}}
        if not step.next:
            task = Task(request=say, folder=forked.folder)  # the options of that time are kept
            await graph.aupdate_state(config, task, as_node="__input__")
            return
        role = cast("RoleName", "coder" if step.next in VERIFICATION_NODES else step.next)
        input_update = {"messages": [build_role_message(role, say)], "turn": max(step.turn, 1) + 1}
        command = Command(goto=role, update={**input_update, "accepted": False, "rounds": 0})
        await graph.aupdate_state(config, command, as_node=role)


@asynccontextmanager
async def _open_graph(row: ThreadRow, home: Path) -> "AsyncGenerator[Graph]":
    from ...memory.database.checkpointer import open_checkpointer
    from ..graph_registry import compile_graph, find_job

    async with open_checkpointer(await asyncio.to_thread(paths.locate_database, home)) as saver:
        with disable_tracing():
            yield compile_graph(find_job(row.graph), saver)


def _derive_status(step: ThreadStep) -> ThreadStatus:
    return "interrupted" if step.next else STATUS_OF_OUTCOME.get(step.outcome, "unverified")
