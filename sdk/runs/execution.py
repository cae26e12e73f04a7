"""One run of a thread: it holds the lease, keeps the status, and what a stop leaves."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from ...config import paths
from ...config.errors import UsageError
from ...memory.database.connection import translate_sqlite_errors
from ...memory.journal import Journal
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import acquire_lease, has_crashed
from ...memory.threads.record import ThreadRow, ThreadStatus
from ...nodes.messages.steering import SteeringQueue
from ...nodes.options import Options
from ...nodes.recovery.partial_answer import build_partial_answer
from ...nodes.roles import RoleName
from ...nodes.run.dependencies import Dependencies
from ...nodes.run.dependency_pool import DependencyPool
from ..cancel_shield import run_shielded
from ..events import (
    Event,
    Failure,
    Interrupted,
    ModelChanged,
    Output,
    Retrying,
    RunStarted,
    TokenUsage,
    as_json,
    is_from_subagent,
)
from ..graph_registry import Job, find_job
from ..outcome import build_usage, derive_status, find_evidence, record_status
from ..prepared_run import PreparedRun, open_pull_request
from ..run import Graph, ThreadRun
from ..startup_notices import finish_restore
from ..tracing import disable_tracing
from .active_runs import ActiveRun

# Seconds that a step has to finish after the time is up
GRACE = 3.0


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


@dataclass(frozen=True)
class RunExecution:
    """Carries out the prepared runs of one Runner."""

    home: Path
    pool: DependencyPool
    threads: ThreadIndex
    steering: SteeringQueue
    graph_of: Callable[[Job], Graph]

    async def stream(self, active: ActiveRun, prepared: PreparedRun) -> AsyncGenerator[Event]:
        """Yield the events of the run."""
        row = prepared.row
        if prepared.asked:
            yield build_shown(row)
            yield prepared.asked
            return
        deps = await self.pool.open(row.folder, row.options, prepared.context)
        with ExitStack() as held:
            lease = acquire_lease(self.home, row.thread_id)
            await run_shielded(asyncio.to_thread(held.enter_context, lease))
            flow = await asyncio.to_thread(open_pull_request, row, deps, lambda: active.is_stopping)
            if flow:
                has_message = bool(prepared.message)
                answers = await asyncio.to_thread(
                    flow.take_answers, prepared.answers, has_message=has_message
                )
                prepared = replace(prepared, answers=answers)
            run = await self._create_run(active, prepared, deps)
            self.steering.begin_run(row.thread_id)
            # the status if the stream is closed or cancelled
            status: ThreadStatus = "interrupted"
            evidence: Mapping[str, Any] | None = None
            half = PartialAnswer()
            try:
                # in a thread, since a closed run may still commit on this loop
                await run_shielded(
                    asyncio.to_thread(self.threads.set_status, row.thread_id, "running")
                )
                stream = run.stream_events()
                async with aclosing(flow.follow(stream) if flow else stream) as events:
                    async for event in events:
                        half.add_event(event)
                        status = derive_status(event) or status
                        evidence = find_evidence(event, evidence)
                        yield event
            except (asyncio.CancelledError, GeneratorExit):
                if status == "interrupted" and active.control.drain_reason == "timeout":
                    status = "limit"
                with translate_sqlite_errors(paths.locate_database(self.home)):
                    await half.save_to_thread(run.graph, row.thread_id)
                raise
            except UsageError:
                status = "running" if run.crashed else row.status
                raise
            finally:
                await run_shielded(settle_steering(self.steering, run.graph, row.thread_id))
                await run_shielded(
                    asyncio.to_thread(record_status, self.threads, row.thread_id, status, evidence)
                )

    async def _create_run(
        self, active: ActiveRun, prepared: PreparedRun, deps: Dependencies
    ) -> ThreadRun:
        """Create the run of a leased thread, after repairing what a kill has left."""
        row = prepared.row
        graph = await asyncio.to_thread(self.graph_of, find_job(row.graph))
        restored = await finish_restore(deps, row.thread_id) if prepared.resumed else []
        killed = prepared.resumed and await asyncio.to_thread(has_crashed, self.home, row.thread_id)
        if killed:
            with translate_sqlite_errors(paths.locate_database(self.home)):
                await restore_partial_answer(graph, deps.journal, row.thread_id)
        return ThreadRun(
            graph=graph,
            row=row,
            context=prepared.context,
            deps=deps,
            control=active.control,
            answers=prepared.answers,
            resumed=prepared.resumed,
            notices=[*prepared.notices, *restored],
            message=prepared.message,
            crashed=killed,
            wait=prepared.wait,
            now=prepared.now,
        )


def build_shown(row: ThreadRow) -> RunStarted:
    """Return the first event of a stream that only shows a thread's question."""
    options = cast("Options", row.options or {})
    model, mode = options.get("model", ""), options.get("mode", "")
    return RunStarted(row.thread_id, row.title, row.folder, model, mode, resumed=True)


async def settle_steering(
    queue: SteeringQueue, graph: CompiledStateGraph[Any, Any, Any, Any], thread: str
) -> None:
    """Close the queue; what the run took without keeping it waits again."""
    message_ids: set[str] = set()
    if queue.has_unconfirmed(thread):  # seldom: the state of a long thread takes a while to read
        state = await graph.aget_state({"configurable": {"thread_id": thread}})
        message_ids = {str(message.id) for message in state.values.get("messages", [])}
    queue.end_run(thread, message_ids)


async def limit_time(events: AsyncGenerator[Event], run: ActiveRun) -> AsyncGenerator[Event]:
    """Stream the events until the run's deadline; nothing of the thread is lost by it."""
    loop, usage = asyncio.get_running_loop(), dict[str, Any]()
    seconds = run.deadline - time.monotonic()
    timer = loop.call_later(max(0.0, seconds), run.stop, "timeout")
    end = loop.time() + seconds + GRACE
    try:
        async with aclosing(events):
            while True:
                timeout = asyncio.timeout_at(end)
                try:
                    async with timeout:
                        event = await anext(events, None)
                except TimeoutError:
                    if not timeout.expired():
                        raise
                    yield Interrupted(run.thread_id, "timeout", usage=usage)
                    return
                if event is None:
                    return
                if isinstance(event, TokenUsage) and not event.agent:
                    usage = build_usage(as_json(event))
                yield event
    finally:
        timer.cancel()


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
