"""The interface to run threads: start, watch, stop, resume and answer them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, cast
from uuid import uuid4

from langgraph.runtime import RunControl

from ..config import paths
from ..config.errors import UsageError
from ..config.security.redaction import redact
from ..config.trust.decision import grant_if_empty
from ..memory.cards.store import open_store
from ..memory.database.checkpointer import open_checkpointer
from ..memory.database.connection import translate_sqlite_errors
from ..memory.threads.lease import acquire_lease, has_crashed
from ..memory.threads.record import ThreadRow, ThreadStatus
from ..nodes.messages.steering import SteeringQueue
from ..nodes.options import Options, select_lasting
from ..nodes.run.agent import open_agent
from ..nodes.run.context import Context
from ..nodes.run.dependencies import Dependencies
from ..nodes.run.dependency_pool import DependencyPool
from ..nodes.run.modes import choose_next_agent
from ..nodes.state import State
from .attempts import AttemptThreads
from .background import BackgroundJobs
from .cancel_shield import run_shielded
from .events import Event, EvidenceFound, as_json
from .generated_tests import choose_first_agent
from .graph_registry import compile_graph, find_job, needs_tests
from .interrupt_response import Answer
from .outcome import derive_status, record_status
from .partial_answer import PartialAnswer, restore_partial_answer
from .prepared_run import PreparedRun, open_pull_request, open_with_model
from .run import ThreadRun, UserMessage
from .run_request import (
    NewThread,
    build_chat,
    build_chat_options,
    build_edit,
    build_task,
    build_test_generation,
    list_attempt_options,
    validate_conversation,
    validate_request,
)
from .startup_notices import collect_notices, collect_standing_notices, finish_restore
from .steering import settle_steering
from .thread_history import ThreadHistory

if TYPE_CHECKING:
    from .compaction import Compactor


class Runner(ThreadHistory):
    """Runs the threads of one MaxAgent home.

        async with Runner() as runner:
            async for event in runner.task("Repair the test", folder=Path(".")):
                ...

    Wrong input raises `UsageError` and a thread held elsewhere `ThreadBusyError`, before the run
    begins; whatever happens later is the last event of the stream. A folder is worked in as far as
    it is trusted: `maxagent.trust(folder)` says yes to it.
    """

    def __init__(self, *, home: Path | None = None) -> None:
        super().__init__(home)
        self.pool = DependencyPool()
        self.background = BackgroundJobs(self.pool)
        self.steering = SteeringQueue()
        """Messages sent by `steer` that no turn has read."""
        self._control = RunControl()
        self._attempts = AttemptThreads(self._open_attempt_runner)
        self._closing = AsyncExitStack()
        self.deadline = 0.0
        """When the time of the next run is up, in seconds since the epoch; 0: no limit."""

    async def __aenter__(self) -> Self:
        opened = open_checkpointer(paths.locate_database(self.home))
        saver = await self._closing.enter_async_context(opened)
        store = await self._closing.enter_async_context(open_store(self.home))
        self._closing.push_async_callback(self.pool.close)
        self._graph_of = cache(partial(compile_graph, saver=saver, store=store))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._closing.aclose()

    def stop(self, reason: Literal["user", "timeout"] = "user") -> None:
        """Let the running step finish; then the stream ends with `interrupted`."""
        self._control.request_drain(reason)
        self._attempts.stop(reason)

    @property
    def is_stopping(self) -> bool:
        """Return whether `stop` was called in the current or last run."""
        return self._control.drain_requested

    def steer(self, message: str) -> str:
        """Send a message to the running turn; return its ID, which the event `steered` will name.

        Until then `steering` can take it back, and has it after a turn that ended before. Raises
        UsageError if nothing runs.
        """
        validate_request(message, Path())
        return self.steering.put(redact(message))

    def task(
        self,
        request: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        title: str = "",
        thread_id: str = "",
    ) -> AsyncGenerator[Event]:
        """Run a task on a new thread; with `best_of` in the options, several attempts at it.

        `thread_id` is the new thread's, so that who chose it can find it after a kill.
        """
        build = partial(build_task, request, folder, options, title, thread_id)
        return self._stream(partial(self._prepare_thread, build))

    def generate_tests(
        self, file: str, message: str = "", *, folder: Path | str, options: Options | None = None
    ) -> AsyncGenerator[Event]:
        """Write tests for one file on a new thread; `message` says what to look at."""
        build = partial(build_test_generation, file, message, folder, options, self.home)
        return self._stream(partial(self._prepare_thread, build))

    def edit(
        self,
        request: str,
        *,
        files: Sequence[str],
        folder: Path | str,
        options: Options | None = None,
    ) -> AsyncGenerator[Event]:
        """Change the named files, and no others, on a new thread; no tests are run.

        `files` are relative to the folder; one that does not exist may be created.
        """
        build = partial(build_edit, request, files, folder, options, self.home)
        return self._stream(partial(self._prepare_thread, build))

    def chat(
        self,
        message: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        name: str = "",
        title: str = "",
        agent: str = "",
    ) -> AsyncGenerator[Event]:
        """Start a conversation on a new thread; its turn ends with the answer.

        `agent` speaks this turn only. The default `title` is the message's first line.
        """
        build = partial(build_chat, message, folder, options, name, title, agent)
        return self._stream(partial(self._prepare_thread, build))

    def say(
        self,
        thread: str,
        message: str,
        *,
        options: Options | None = None,
        agent: str = "",
        abandon: bool = False,
    ) -> AsyncGenerator[Event]:
        """Continue a conversation by one turn; `options` hold from now on.

        `agent` answers this turn only. Raises UnfinishedTurnError if a call or a question is open,
        or a kill has cut an answer short. With `abandon` each open call gets an answer instead.
        """
        return self._stream(partial(self._prepare_turn, thread, message, options, agent, abandon))

    def resume(
        self,
        thread: str,
        answer: Answer | Sequence[Answer] | None = None,
        *,
        context: Context | None = None,
        wait: bool = False,
        now: bool = False,
    ) -> AsyncGenerator[Event]:
        """Continue a thread where it stopped; `thread` is an ID, its prefix, or a name.

        Each of several answers is for one open question; the others stay open. A provider's limit
        that is not over ends the stream with its question again, unless `wait` or `now`, which asks
        the provider at once, is set, or `context` names another model.
        """
        answers = [answer] if isinstance(answer, Answer) else answer or ()
        prepare = partial(self._prepare_resume, thread, answers, context or Context(), wait, now)
        return self._stream(prepare)

    def compact(self, thread: str, focus: str = "") -> AsyncGenerator[Event]:
        """Compact a conversation now, without a model turn; `focus` is to be kept above all."""
        return self._open_compactor().compact(thread, focus)

    async def uncompact(self, thread: str) -> bool:
        """Send all of a conversation again; return whether it had been compacted."""
        return await self._open_compactor().uncompact(thread)

    def _open_compactor(self) -> "Compactor":
        from .compaction import Compactor

        return Compactor(self.home, self._graph_of, self._create_context)

    async def _prepare_thread(self, build: Callable[[], NewThread]) -> PreparedRun:
        new = await asyncio.to_thread(build)
        job, root = new.job, new.root
        await asyncio.to_thread(grant_if_empty, root, self.home)
        await self.pool.reload_if_changed(str(root))
        context = self._create_context()
        # a wrong folder, model, script or configuration is reported before a thread exists
        for attempt_options in list_attempt_options(new.options):
            await open_with_model(self.pool, str(root), attempt_options, context)
        options, deps = await open_with_model(self.pool, str(root), new.options, context)
        if named := options.get("speaker") or options.get("agent", ""):
            deps.agents.find_primary_agent(named)
        first = await choose_first_agent(job, options, deps)
        await asyncio.to_thread(open_agent, deps, named or first)
        row = await asyncio.to_thread(
            self.threads.record_thread,
            thread_id=new.thread_id or str(uuid4()),
            title=new.title,
            folder=str(root),
            graph=job.name,
            request=new.request,
            options=options,
            name=new.name,
        )
        sent = [new.request, *options.get("aside", ())]
        notices = collect_notices(root, self.threads.set_aside, deps.from_project, sent)
        notices += collect_standing_notices(deps, tests=needs_tests(job, options))
        return PreparedRun(row, context, notices, resumed=False)

    async def _prepare_turn(
        self, thread: str, message: str, options: Options | None, agent: str, abandon: bool
    ) -> PreparedRun:
        row, message = self.threads.find(thread), redact(message)
        validate_request(message, Path(row.folder))
        validate_conversation(row)
        context = self._create_context()
        await self.pool.reload_if_changed(row.folder)
        overrides = build_chat_options(options, agent)
        row = await self._load_current_options(row)
        lasting = select_lasting(cast(Options, row.options))
        merged, deps = await open_with_model(
            self.pool, row.folder, cast(Options, {**lasting, **overrides}), context
        )
        if served := merged.get("served_model"):
            overrides["served_model"] = served
        row = replace(row, options=merged)
        if named := agent or (options or {}).get("agent", ""):
            deps.agents.find_primary_agent(named)
        # a wrong agent is reported before the message is kept
        await asyncio.to_thread(open_agent, deps, choose_next_agent(row.options))
        notices = collect_standing_notices(deps, tests=False)
        return PreparedRun(row, context, notices, message=UserMessage(message, overrides, abandon))

    async def _prepare_resume(
        self, thread: str, answers: Sequence[Answer], context: Context, wait: bool, now: bool
    ) -> PreparedRun:
        row = self.threads.find(thread)
        own = self._create_context(context)
        row = await self._load_current_options(row)
        notices = list[str]()
        if not any(answer.question for answer in answers):  # else this runner asked: it goes on
            await self.pool.reload_if_changed(row.folder)
            deps = await self.pool.open(row.folder, row.options, own)
            if not deps.model.model:
                from ..models.served_models import find_served_model

                own = replace(own, model=await find_served_model(deps.model))
                deps = await self.pool.open(row.folder, row.options, own)
            notices = collect_standing_notices(
                deps, tests=needs_tests(find_job(row.graph), row.options)
            )
        return PreparedRun(row, own, notices, answers=answers, wait=wait, now=now)

    async def _stream(self, prepare: Callable[[], Awaitable[PreparedRun]]) -> AsyncGenerator[Event]:
        """Stream the run that `prepare` returns; its exceptions come before any event."""
        self._control, self._attempts = RunControl(), AttemptThreads(self._open_attempt_runner)
        async with aclosing(self._run_thread(await prepare())) as events:
            async for event in events:
                yield event

    async def _run_thread(self, prepared: PreparedRun) -> AsyncGenerator[Event]:
        row = prepared.row
        deps = await self.pool.open(row.folder, row.options, prepared.context)
        with acquire_lease(self.home, row.thread_id):
            flow = await asyncio.to_thread(open_pull_request, row, deps, lambda: self.is_stopping)
            if flow:
                answers = flow.take_answers(prepared.answers, has_message=bool(prepared.message))
                prepared = replace(prepared, answers=answers)
            run = await self._create_run(prepared, deps)
            self.steering.begin_run(row.thread_id)
            # the status if the stream is closed or cancelled
            status: ThreadStatus = "interrupted"
            evidence, half = None, PartialAnswer()
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
                        evidence = as_json(event) if isinstance(event, EvidenceFound) else evidence
                        yield event
            except (asyncio.CancelledError, GeneratorExit):
                if status == "interrupted" and self._control.drain_reason == "timeout":
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

    def _create_context(self, chosen: Context | None = None) -> Context:
        return replace(
            chosen or Context(),
            home=str(self.home),
            pool=self.pool,
            deadline=self.deadline,
            steering=self.steering,
            run_attempt=self._attempts.run,
        )

    def _open_attempt_runner(self) -> "Runner":
        """Open a runner for one more thread that runs at the same time."""
        beside = Runner(home=self.home)
        beside.deadline = self.deadline
        return beside

    async def open_dependencies(self, folder: str, options: Options) -> Dependencies:
        """Return the dependencies of a run; raises UsageError for a wrong folder or setting."""
        return await self.pool.open(folder, options, self._create_context())

    async def options_of(self, thread: str) -> Options:
        """Return the current options of a thread, as its next message will use them."""
        return select_lasting((await self._load_current_options(self.threads.find(thread))).options)

    async def _load_current_options(self, row: ThreadRow) -> ThreadRow:
        """Return the row with its current options; the list has only the first ones."""
        state, _ = await self.read_state(row.thread_id)
        return replace(row, options=state.get("options") or row.options)

    async def read_state(self, thread: str) -> tuple[State, Context]:
        """Return a thread's state, empty before its first step, and the context of its runs."""
        row = self.threads.find(thread)
        graph = await asyncio.to_thread(self._graph_of, find_job(row.graph))
        with translate_sqlite_errors(paths.locate_database(self.home)):
            state = await graph.aget_state({"configurable": {"thread_id": row.thread_id}})
        return cast(State, state.values), self._create_context()

    async def _create_run(self, prepared: PreparedRun, deps: Dependencies) -> ThreadRun:
        """Create the run of a leased thread, after repairing what a kill has left."""
        row = prepared.row
        graph = await asyncio.to_thread(self._graph_of, find_job(row.graph))
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
            control=self._control,
            answers=prepared.answers,
            resumed=prepared.resumed,
            notices=[*prepared.notices, *restored],
            message=prepared.message,
            crashed=killed,
            wait=prepared.wait,
            now=prepared.now,
        )
