"""The task as LangGraph's server runs it: held, listed and ended as a run of the command line."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph_sdk.runtime import ServerRuntime

from ..config import paths
from ..graphs.task import build, graph
from ..memory.checkpointer import open_checkpointer
from ..memory.lease import hold
from ..memory.threads import ThreadIndex
from ..nodes.context import Context
from .endings import status_in
from .run import Graph


@asynccontextmanager
async def task(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncGenerator[Graph]:
    """The graph; while it runs nobody else may run its thread. Raises ThreadBusy."""
    thread_id = config.get("configurable", {}).get("thread_id")
    if runtime.execution_runtime is None or not thread_id:
        yield graph
        return
    home, held = await asyncio.to_thread(paths.home), ExitStack()
    await asyncio.to_thread(held.enter_context, hold(home, thread_id))
    try:
        yield graph
    finally:
        await _note_end(home, thread_id)
        await asyncio.to_thread(held.close)


async def _note_end(home: Path, thread_id: str) -> None:
    """Say on the list of threads how the run left this one."""
    async with open_checkpointer(await asyncio.to_thread(paths.database, home)) as saver:
        reader = build().compile(checkpointer=saver)  # pyright: ignore[reportUnknownMemberType]
        state = await reader.aget_state({"configurable": {"thread_id": thread_id}})
    if state.created_at is None:  # it failed before its first checkpoint
        return
    evidence: Any = state.values.get("evidence")
    threads = await asyncio.to_thread(ThreadIndex, home)
    await asyncio.to_thread(threads.set_status, thread_id, status_in(state), evidence=evidence)
