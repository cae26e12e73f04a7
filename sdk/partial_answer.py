"""Keeps what the human saw of an answer that was cut short.

The runner does it and no node, since LangGraph drops whatever a cancelled node would still return.
It is put into the thread as LangGraph's own update, so it goes back, is forked and is seen in
Studio like any message, and the same node comes next.
"""

import asyncio
from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from ..memory.journal import Journal
from ..nodes.agent.partial_answer import build_partial_answer
from ..nodes.roles import RoleName
from .cancel_shield import run_shielded
from .events import Event, Failure, Output, Retrying, TokenUsage
from .run import Graph
from .tracing import disable_tracing


async def restore_partial_answer(graph: Graph, journal: Journal, thread_id: str) -> None:
    """Put what a killed run had shown of an answer into the thread; the thread must be at rest."""
    state = await graph.aget_state({"configurable": {"thread_id": thread_id}})
    if len(state.tasks) != 1 or state.tasks[0].result is not None:
        return  # nobody was speaking, or the answer is complete
    checkpoint = state.config.get("configurable", {}).get("checkpoint_id", "")
    text = await asyncio.to_thread(journal.read_partial_answer, thread_id, checkpoint)
    if text.strip():
        await run_shielded(_write_answer(graph, thread_id, state.next[0], text))


async def _write_answer(graph: Graph, thread_id: str, node: str, text: str) -> None:
    role = cast("RoleName", node)  # each role is the node in which it speaks
    update = Command(goto=role, update={"messages": [build_partial_answer(role, text)]})
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    with disable_tracing():
        await graph.aupdate_state(config, update, as_node=role)


class PartialAnswer:
    """The answer that streams, by the events of a run."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._requests = 0
        """Answers of the thread when this one was complete; 0: it is not."""

    def add_event(self, event: Event) -> None:
        """Take in one event of the run."""
        match event:
            case Output(text=text):
                self._forget_if_complete()
                self._pieces.append(text)
            case Retrying() | Failure():
                self._pieces.clear()
            case TokenUsage(requests=requests):
                self._forget_if_complete()
                self._requests = requests
            case _:
                pass

    def _forget_if_complete(self) -> None:
        """What comes now is of the next answer."""
        if self._requests:
            self._pieces.clear()
        self._requests = 0

    async def save_to_thread(self, graph: Graph, thread_id: str) -> None:
        """Put it into the thread, unless all of it is there; the run must have ended.

        It is done to its end, however often somebody stops what waits for it; then that holds.
        """
        await run_shielded(self._write_if_missing(graph, thread_id))

    async def _write_if_missing(self, graph: Graph, thread_id: str) -> None:
        text = "".join(self._pieces)
        if not text.strip():
            return
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        state = await graph.aget_state(config)
        kept = state.values.get("usage", {"requests": 0})["requests"]
        if 0 < self._requests <= kept or not state.next:  # or the thread was deleted meanwhile
            return
        await _write_answer(graph, thread_id, state.next[0], text)
