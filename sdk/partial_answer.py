"""The part of an interrupted answer that the user saw, saved to the thread.

The runner saves it, not a node, since LangGraph drops everything that a cancelled node returns. It
is saved as LangGraph's own update, so it is rewound, forked and shown in Studio like any message,
and the same node comes next.
"""

import asyncio
from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from ..memory.journal import Journal
from ..nodes.recovery.partial_answer import build_partial_answer
from ..nodes.roles import RoleName
from .cancel_shield import run_shielded
from .events import (
    Event,
    Failure,
    ModelChanged,
    Output,
    Retrying,
    TokenUsage,
    is_from_subagent,
)
from .run import Graph
from .tracing import disable_tracing


async def restore_partial_answer(graph: Graph, journal: Journal, thread_id: str) -> None:
    """Add a killed run's partial answer to the thread; the thread must not be running."""
    state = await graph.aget_state({"configurable": {"thread_id": thread_id}})
    if len(state.tasks) != 1 or state.tasks[0].result is not None:
        return  # no model was answering, or the answer is complete
    checkpoint = state.config.get("configurable", {}).get("checkpoint_id", "")
    text = await asyncio.to_thread(journal.read_partial_answer, thread_id, checkpoint)
    if text.strip():
        await run_shielded(_write_answer(graph, thread_id, state.next[0], text))


async def _write_answer(graph: Graph, thread_id: str, node: str, text: str) -> None:
    role = cast("RoleName", node)  # each role is also the name of its node
    update = Command(goto=role, update={"messages": [build_partial_answer(role, text)]})
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    with disable_tracing():
        await graph.aupdate_state(config, update, as_node=role)


class PartialAnswer:
    """The answer being streamed, collected from the events of a run."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._requests = 0
        """Answers of the thread when this one was complete; 0: it is not complete."""

    def add_event(self, event: Event) -> None:
        """Add one event of the run; a sub-agent that is stopped gives its answer again."""
        if is_from_subagent(event):
            return
        match event:
            case Output(text=text):
                self._forget_if_complete()
                self._pieces.append(text)
            case Retrying() | ModelChanged() | Failure():
                self._pieces.clear()
            case TokenUsage(requests=requests):
                self._forget_if_complete()
                self._requests = requests
            case _:
                pass

    def _forget_if_complete(self) -> None:
        """Forget a complete answer: the next event belongs to the next one."""
        if self._requests:
            self._pieces.clear()
        self._requests = 0

    async def save_to_thread(self, graph: Graph, thread_id: str) -> None:
        """Save the answer to the thread unless it is complete there; the run must have ended.

        It finishes even if its caller is cancelled meanwhile; the cancellation follows.
        """
        await run_shielded(self._write_if_missing(graph, thread_id))

    async def _write_if_missing(self, graph: Graph, thread_id: str) -> None:
        text = "".join(self._pieces)
        if not text.strip():
            return
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        state = await graph.aget_state(config)
        reported = state.values.get("usage", {"requests": 0})["requests"]
        if 0 < self._requests <= reported or not state.next:  # or the thread was deleted meanwhile
            return
        await _write_answer(graph, thread_id, state.next[0], text)
