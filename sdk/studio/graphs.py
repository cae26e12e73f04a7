"""The graphs as LangGraph's server runs them: with lease, listing and status as at the terminal."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph_sdk.runtime import ServerRuntime

from ...config import paths
from ...config.errors import UsageError
from ...memory.database.checkpointer import open_checkpointer
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import acquire_lease
from ...memory.undo.restore import finish_interrupted
from ...nodes.run.context import Context
from ...nodes.run.dependency_pool import DependencyPool
from ..cancel_shield import run_shielded
from ..graph_registry import CHAT, EDIT, TASK, Job, compile_graph, load_graph
from ..outcome import read_status
from ..run import Graph
from ..threads.file_history import ThreadFiles, open_thread_files
from .client_context import ClientContext, bind_pool
from .refusal import translate_refusal


@asynccontextmanager
async def task(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """Open the graph of a task and lease its thread; raises ThreadBusyError."""
    async with _open_graph(TASK, config, runtime) as graph:
        yield graph


@asynccontextmanager
async def edit(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """Open the graph of an edit and lease its thread; raises ThreadBusyError."""
    async with _open_graph(EDIT, config, runtime) as graph:
        yield graph


@asynccontextmanager
async def chat(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """Open the graph of a chat and lease its thread; raises ThreadBusyError."""
    async with _open_graph(CHAT, config, runtime) as graph:
        yield graph


@asynccontextmanager
async def _open_graph(
    job: Job, config: RunnableConfig, runtime: ServerRuntime[Context]
) -> AsyncGenerator[Graph]:
    graph = await asyncio.to_thread(load_graph, job)
    thread_id = config.get("configurable", {}).get("thread_id")
    if runtime.access_context == "threads.update":  # a person's write
        async with AsyncExitStack() as held:
            with translate_refusal():
                await held.enter_async_context(_acquire_thread(job, thread_id))
            yield graph.copy(update={"context_schema": ClientContext})
        return
    if runtime.execution_runtime is None:  # the server only reads its schemas or its threads
        yield graph.copy(update={"context_schema": ClientContext})
        return
    pool = DependencyPool()
    async with _acquire_thread(job, thread_id):
        try:
            yield graph.copy(update={"context_schema": bind_pool(pool)})
        finally:
            await run_shielded(pool.close())


@asynccontextmanager
async def _acquire_thread(job: Job, thread_id: str | None) -> AsyncGenerator[None]:
    if not thread_id:
        yield
        return
    home, held = await asyncio.to_thread(paths.locate_home), ExitStack()
    try:
        await run_shielded(asyncio.to_thread(held.enter_context, acquire_lease(home, thread_id)))
        try:
            await _finish_restore(home, thread_id)
            yield
        finally:
            await _note_end(job, home, thread_id)
    finally:
        await run_shielded(asyncio.to_thread(held.close))


async def _finish_restore(home: Path, thread_id: str) -> None:
    """Finish an interrupted restore of files first, as every run does."""
    files = await asyncio.to_thread(_open_files, home, thread_id)
    if files:
        await finish_interrupted(files.snapshots, files.history, thread_id)


def _open_files(home: Path, thread_id: str) -> ThreadFiles | None:
    """Return None for a new thread, and if the folder is gone, which the run will report."""
    try:
        return open_thread_files(ThreadIndex(home).get(thread_id), home)
    except UsageError:
        return None


async def _note_end(job: Job, home: Path, thread_id: str) -> None:
    """Record the thread's status after the run in the list of threads."""
    async with open_checkpointer(await asyncio.to_thread(paths.locate_database, home)) as saver:
        reader = compile_graph(job, saver)
        state = await reader.aget_state({"configurable": {"thread_id": thread_id}})
    if state.created_at is None:  # it failed before its first checkpoint
        return
    evidence: Any = state.values.get("evidence")
    threads = await asyncio.to_thread(ThreadIndex, home)
    await asyncio.to_thread(threads.set_status, thread_id, read_status(state), evidence=evidence)
