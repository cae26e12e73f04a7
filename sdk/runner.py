"""The interface to run threads: start, watch, stop, resume and answer them."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast, overload

from ..config import paths
from ..config.arguments import validate_argument, validate_arguments
from ..config.errors import UsageError
from ..config.security.redaction import redact
from ..config.settings.hook_entries import HookEvent
from ..config.settings.hooks import HookFunction
from ..config.trust.decision import trust
from ..memory.cards.store import open_store
from ..memory.database.checkpointer import open_checkpointer
from ..memory.database.connection import translate_sqlite_errors
from ..memory.threads.record import ThreadRow
from ..nodes.messages.steering import SteeringQueue
from ..nodes.options import Options, select_lasting
from ..nodes.run.context import Context
from ..nodes.run.dependencies import Dependencies
from ..nodes.run.program_parts import ProgramArguments, build_program_parts
from ..nodes.state import State
from .agents import Agents
from .attempts import AttemptThreads, StopReason
from .background import BackgroundJobs
from .events import Event, Question, RunStarted
from .graph_registry import Job, compile_graph, find_job
from .interrupt_response import Answer
from .prepared_run import PreparedRun
from .run import Graph
from .run_request import build_chat, build_edit, build_task, build_test_generation, validate_request
from .runs.active_runs import ActiveRun, ActiveRuns, compute_deadline
from .runs.execution import RunExecution, limit_time
from .runs.preparation import RunPreparation
from .runs.with_statement import AsyncOnly
from .thread_history import ThreadHistory

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from ..tools.runtime.program_tools import ProgramTool
    from .compaction import Compactor
    from .runs.question_callback import OnQuestion, QuestionCallback


class Runner(ThreadHistory, AsyncOnly):
    """Runs the threads of one MaxAgent home.

        async with Runner() as runner:
            async for event in runner.task("Repair the test", folder=Path(".")):
                ...

    Wrong input raises `UsageError` and a thread held elsewhere `ThreadBusyError`, before the run
    begins; whatever happens later is the last event of the stream. A folder is worked in as far as
    it is trusted: `maxagent.trust(folder)` says yes to it.
    """

    @validate_arguments
    def __init__(
        self,
        *,
        home: Path | str | None = None,
        on_question: "OnQuestion | None" = None,
        tools: "Sequence[ProgramTool]" = (),
        model: "BaseChatModel | None" = None,
        hooks: Mapping[HookEvent, Sequence[HookFunction]] | None = None,
    ) -> None:
        """`on_question` answers questions while a run goes on; None from it leaves one open.

        `tools` are functions, or tools of LangChain, that the agents may call; `model` is the chat
        model of new threads whose options name none; `hooks` are functions, by event.
        """
        validate_argument("on_question", on_question, Callable[..., object] | None)
        super().__init__(Path(os.path.abspath(home)) if home else None)
        self._arguments: ProgramArguments = {"tools": tools, "model": model, "hooks": hooks}
        self.pool = build_program_parts(**self._arguments).create_pool()
        self.background = BackgroundJobs(self.pool)
        self.steering = SteeringQueue()
        """Messages sent by `steer` that no turn has read."""
        self.agents = Agents(self.home)
        self._on_question = on_question
        self._runs = ActiveRuns()
        self._closing = AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._preparation = RunPreparation(
            self.home, self.pool, self.threads, self._load_current_options
        )
        self._execution = RunExecution(
            self.home, self.pool, self.threads, self.steering, self._graph_of
        )
        self.deadline = 0.0
        """When the time of the next runs is up, by `time.monotonic()`; 0: no limit."""

    async def __aenter__(self) -> Self:
        opened = open_checkpointer(paths.locate_database(self.home))
        saver = await self._closing.enter_async_context(opened)
        store = await self._closing.enter_async_context(open_store(self.home))
        self._closing.push_async_callback(self.pool.close)
        self._compile = cache(partial(compile_graph, saver=saver, store=store))
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._loop = None
        await self._closing.aclose()

    def _graph_of(self, job: Job) -> Graph:
        if self._loop is None:
            raise _build_closed_error()
        return self._compile(job)

    def _check_open(self) -> None:
        """Raise UsageError unless it is open, in the running event loop."""
        if self._loop is None:
            raise _build_closed_error()
        if self._loop is not asyncio.get_running_loop():
            raise UsageError(
                "the runner was opened in another event loop",
                hint="open one in each loop, or use `SyncRunner` from any thread",
            )

    @validate_arguments
    def trust(self, folder: Path | str) -> None:
        """Trust a folder in this runner's home."""
        trust(folder, self.home)

    @validate_arguments
    def stop(self, thread_id: str = "", *, reason: StopReason = "user") -> bool:
        """Let the running step finish; then the stream ends with `interrupted`.

        Without a thread it is the only run, and UsageError is raised if there are several. Returns
        False if nothing runs.
        """
        return self._runs.stop(thread_id, reason)

    @validate_arguments
    def is_stopping(self, thread_id: str = "") -> bool:
        """Return whether the run of this thread, or the only or last run, was stopped."""
        return self._runs.is_stopping(thread_id)

    @overload
    def steer(self, message: str, /) -> str: ...
    @overload
    def steer(self, thread_id: str, message: str) -> str: ...
    @validate_arguments
    def steer(self, thread_id: str, message: str | None = None) -> str:
        """Send a message to a running turn; return its ID, which the event `steered` will name.

        Without a thread it is for the only run. Until then `steering` can take it back, and has it
        after a turn that ended before. Raises UsageError if nothing runs, or several threads do.
        """
        thread_id, message = (thread_id, message) if message is not None else ("", thread_id)
        validate_request(message, Path())
        run = self._runs.find(thread_id)
        return self.steering.put(redact(message), run.thread_id if run else "")

    @validate_arguments
    def task(
        self,
        request: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        title: str = "",
        thread_id: str = "",
        time_limit: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Run a task on a new thread; with `best_of` in the options, several attempts at it.

        `thread_id` is the new thread's, so that who chose it can find it after a kill.
        """
        build = partial(build_task, request, folder, options, title, thread_id)
        return self._stream(partial(self._preparation.prepare_thread, build), time_limit)

    @validate_arguments
    def generate_tests(
        self,
        file: str,
        message: str = "",
        *,
        folder: Path | str,
        options: Options | None = None,
        time_limit: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Write tests for one file on a new thread; `message` says what to look at."""
        build = partial(build_test_generation, file, message, folder, options, self.home)
        return self._stream(partial(self._preparation.prepare_thread, build), time_limit)

    @validate_arguments
    def edit(
        self,
        request: str,
        *,
        files: Sequence[str],
        folder: Path | str,
        options: Options | None = None,
        time_limit: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Change the named files, and no others, on a new thread; no tests are run.

        `files` are relative to the folder; one that does not exist may be created.
        """
        build = partial(build_edit, request, files, folder, options, self.home)
        return self._stream(partial(self._preparation.prepare_thread, build), time_limit)

    @validate_arguments
    def chat(
        self,
        message: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        name: str = "",
        title: str = "",
        agent: str = "",
        thread_id: str = "",
        time_limit: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Start a conversation on a new thread; its turn ends with the answer.

        `agent` speaks this turn only. The default `title` is the message's first line; `thread_id`
        is the new thread's, as for `task`.
        """
        build = partial(build_chat, message, folder, options, name, title, agent, thread_id)
        return self._stream(partial(self._preparation.prepare_thread, build), time_limit)

    @validate_arguments
    def say(
        self,
        thread: str,
        message: str,
        *,
        options: Options | None = None,
        agent: str = "",
        abandon: bool = False,
        time_limit: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Continue a conversation by one turn; `options` hold from now on.

        `agent` answers this turn only. Raises UnfinishedTurnError if a call or a question is open,
        or a kill has cut an answer short. With `abandon` each open call gets an answer instead.
        """
        prepare = partial(self._preparation.prepare_turn, thread, message, options, agent, abandon)
        return self._stream(prepare, time_limit)

    @validate_arguments
    def resume(
        self,
        thread: str,
        answer: Answer | Sequence[Answer] | None = None,
        *,
        context: Context | None = None,
        wait: bool = False,
        now: bool = False,
        time_limit: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Continue a thread where it stopped; `thread` is an ID, its prefix, or a name.

        Each of several answers is for one open question; the others stay open. A provider's limit
        that is not over ends the stream with its question again, unless `wait` or `now`, which asks
        the provider at once, is set, or `context` names another model.
        """
        answers = [answer] if isinstance(answer, Answer) else answer or ()
        prepare = partial(self._preparation.prepare_resume, thread, answers, wait, now)
        return self._stream(prepare, time_limit, context)

    @validate_arguments
    def compact(self, thread: str, focus: str = "") -> AsyncGenerator[Event]:
        """Compact a conversation now, without a model turn; `focus` is to be kept above all."""
        return self._open_compactor().compact(thread, focus)

    @validate_arguments
    async def uncompact(self, thread: str) -> bool:
        """Send all of a conversation again; return whether it had been compacted."""
        return await self._open_compactor().uncompact(thread)

    def _open_compactor(self) -> "Compactor":
        from .compaction import Compactor

        return Compactor(self.home, self._graph_of, self._create_context)

    async def _stream(
        self,
        prepare: Callable[[Context], Awaitable[PreparedRun]],
        time_limit: float | None,
        chosen: Context | None = None,
    ) -> AsyncGenerator[Event]:
        """Stream the run that `prepare` returns; its exceptions come before any event."""
        self._check_open()
        deadline = compute_deadline(time_limit, self.deadline)
        run = ActiveRun(AttemptThreads(partial(self._open_attempt_runner, deadline)), deadline)
        self._runs.begin(run)
        try:
            prepared = await prepare(self._create_context(run, chosen))
            events = self._answer_questions(run, prepared)
            if time_limit:
                events = limit_time(events, run)
            async with aclosing(events):
                async for event in events:
                    yield event
        finally:
            self._runs.end(run)

    async def _answer_questions(
        self, run: ActiveRun, prepared: PreparedRun
    ) -> AsyncGenerator[Event]:
        """Stream a run, and those that follow from the answers of `on_question`."""
        ask = self._open_callback()
        while True:
            run.thread_id, run.name = prepared.row.thread_id, prepared.row.name or ""
            question: Question | None = None
            async with aclosing(self._execution.stream(run, prepared)) as events:
                async for event in events:
                    if ask and isinstance(event, Question):
                        question = event
                    elif not (ask and ask.has_asked and isinstance(event, RunStarted)):
                        yield event
            if question is None or ask is None:
                return
            answers = await ask.request_answers(question)
            if not answers or run.is_stopping:
                yield question
                return
            prepared = await self._preparation.prepare_resume(
                question.thread_id, answers, bool(question.provider), False, prepared.context
            )

    def _open_callback(self) -> "QuestionCallback | None":
        if self._on_question is None:
            return None
        from .runs.question_callback import QuestionCallback

        return QuestionCallback(self._on_question)

    def _create_context(
        self, run: ActiveRun | None = None, chosen: Context | None = None
    ) -> Context:
        return replace(
            chosen or Context(),
            home=str(self.home),
            pool=self.pool,
            deadline=run.deadline if run else self.deadline,
            steering=self.steering,
            run_attempt=run.attempts.run if run else None,
        )

    def _open_attempt_runner(self, deadline: float) -> "Runner":
        """Open a runner for one more thread that runs at the same time."""
        beside = Runner(home=self.home, **self._arguments)
        beside.deadline = deadline
        return beside

    async def open_dependencies(self, folder: str, options: Options) -> Dependencies:
        """Return the dependencies of a run; raises UsageError for a wrong folder or setting."""
        return await self.pool.open(folder, options, self._create_context())

    @validate_arguments
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


def _build_closed_error() -> UsageError:
    return UsageError("the runner is not open", hint="use `async with Runner() as runner:`")
