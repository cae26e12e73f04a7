"""The conversation of a child that has ended, for a child that continues its work."""

import asyncio
from typing import Any, Protocol, cast

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.types import StateSnapshot

from ...memory.threads.sub_runs import SubRuns
from ..children.task import SubagentTask
from .child_state import ChildState

# Where LangGraph has the saver of a running graph; a nested graph has none of its own
_CHECKPOINTER = "__pregel_checkpointer"


class ReadableGraph(Protocol):
    """A graph whose state can be read."""

    async def aget_state(self, config: RunnableConfig, /) -> StateSnapshot:
        """Return the state at the end of this namespace."""
        ...


async def load_earlier(
    task: SubagentTask, child: ReadableGraph, sub_runs: SubRuns, thread: str
) -> ChildState | None:
    """Return the last state of the child that the task resumes; None if it resumes none."""
    sub_id = task["child"].get("resume", "")
    row = await asyncio.to_thread(sub_runs.find_sub_run, thread, sub_id) if sub_id else None
    if row is None:
        return None
    configurable: dict[str, Any] = get_config().get("configurable", {})
    target = {
        "thread_id": thread,
        "checkpoint_ns": row.namespace,
        _CHECKPOINTER: configurable.get(_CHECKPOINTER),
    }
    state = await child.aget_state({"configurable": target})
    return cast(ChildState, state.values)
