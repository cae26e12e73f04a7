"""The jobs as LangGraph's server runs them: held, listed and ended as runs of the command line."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph_sdk.runtime import ServerRuntime

from ...config import paths
from ...config.errors import UsageError
from ...memory.database.checkpointer import open_checkpointer
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import hold
from ...memory.undo.restore import finish_interrupted
from ...nodes.context import Context
from ..graph_registry import CHAT, EDIT, TASK, Job, compiled, graph_of
from ..outcome import status_in
from ..run import Graph
from ..shielded import to_its_end
from ..threads.file_history import ThreadFiles, files_of
from .client_context import ClientContext


@asynccontextmanager
async def task(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """The graph of a task; while it runs nobody else may run its thread. Raises ThreadBusy."""
    async with _held(TASK, config, runtime):
        yield await asyncio.to_thread(_for_clients, TASK)


@asynccontextmanager
async def edit(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """The graph of an edit; while it runs nobody else may run its thread. Raises ThreadBusy."""
    async with _held(EDIT, config, runtime):
        yield await asyncio.to_thread(_for_clients, EDIT)


@asynccontextmanager
async def chat(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """The graph of a chat; while it runs nobody else may run its thread. Raises ThreadBusy."""
    async with _held(CHAT, config, runtime):
        yield await asyncio.to_thread(_for_clients, CHAT)


def _for_clients(job: Job) -> Graph:
    return graph_of(job).copy(update={"context_schema": ClientContext})


@asynccontextmanager
async def _held(
    job: Job, config: RunnableConfig, runtime: ServerRuntime[Context]
) -> AsyncGenerator[None]:
    thread_id = config.get("configurable", {}).get("thread_id")
    if runtime.execution_runtime is None or not thread_id:
        yield
        return
    home, held = await asyncio.to_thread(paths.home), ExitStack()
    await asyncio.to_thread(held.enter_context, hold(home, thread_id))
    try:
        await _finish_restore(home, thread_id)
        yield
    finally:
        try:
            await _note_end(job, home, thread_id)
        finally:
            await to_its_end(asyncio.to_thread(held.close))


async def _finish_restore(home: Path, thread_id: str) -> None:
    """As at every door: files that were being put back when a kill came are put back first."""
    files = await asyncio.to_thread(_files, home, thread_id)
    if files:
        await finish_interrupted(files.snapshots, files.history, thread_id)


def _files(home: Path, thread_id: str) -> ThreadFiles | None:
    """None for a thread that begins now, and where the folder is gone, which the run will say."""
    try:
        return files_of(ThreadIndex(home).get(thread_id), home)
    except UsageError:
        return None


async def _note_end(job: Job, home: Path, thread_id: str) -> None:
    """Say on the list of threads how the run left this one."""
    async with open_checkpointer(await asyncio.to_thread(paths.database, home)) as saver:
        reader = compiled(job, saver)
        state = await reader.aget_state({"configurable": {"thread_id": thread_id}})
    if state.created_at is None:  # it failed before its first checkpoint
        return
    evidence: Any = state.values.get("evidence")
    threads = await asyncio.to_thread(ThreadIndex, home)
    await asyncio.to_thread(threads.set_status, thread_id, status_in(state), evidence=evidence)
