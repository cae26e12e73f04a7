"""One way in: start, watch, stop, resume and answer threads."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, Self, cast
from uuid import uuid4

from langgraph.runtime import RunControl

from ..config import paths
from ..config.errors import MaxAgentError, UsageError
from ..config.security.redaction import find_marks, redact
from ..config.text import text
from ..config.trust.decision import grant_if_empty
from ..memory.database.checkpointer import open_checkpointer
from ..memory.database.connection import translate_sqlite_errors
from ..memory.threads.index import ThreadIndex
from ..memory.threads.lease import acquire_lease, has_crashed
from ..memory.threads.record import ThreadRow, ThreadStatus, build_title
from ..nodes.agent.agent import open_agent
from ..nodes.agent.context import Context
from ..nodes.agent.dependencies import Dependencies
from ..nodes.agent.dependency_pool import DependencyPool
from ..nodes.agent.modes import choose_next_agent
from ..nodes.options import Options, select_lasting
from .cancel_shield import run_shielded
from .events import Event, EvidenceFound, as_json
from .graph_registry import CHAT, EDIT, TASK, Job, compile_graph, find_job
from .interrupt_response import Answer
from .outcome import derive_status
from .partial_answer import PartialAnswer, restore_partial_answer
from .run import ThreadRun, UserMessage
from .run_request import build_chat_options, resolve_edit_files, validate_request
from .startup_notices import HIDDEN, collect_notices, collect_standing_notices, finish_restore


class Runner:
    """Runs the threads of one MaxAgent home.

        async with Runner() as runner:
            async for event in runner.task("Repair the test", folder=Path(".")):
                ...

    Wrong input raises `UsageError` and a thread held elsewhere `ThreadBusy`, before the run
    begins; whatever happens later is the last event of the stream. A folder is worked in as far as
    it is trusted: `maxagent.trust(folder)` says yes to it.
    """

    def __init__(self, *, home: Path | None = None) -> None:
        self.home = home or paths.locate_home()
        self.threads = ThreadIndex(self.home)
        self.pool = DependencyPool()
        self._control = RunControl()
        self._closing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        opened = open_checkpointer(paths.locate_database(self.home))
        saver = await self._closing.enter_async_context(opened)
        self._closing.push_async_callback(self.pool.close)
        self._graph_of = cache(partial(compile_graph, saver=saver))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._closing.aclose()

    def stop(self, reason: Literal["user", "timeout"] = "user") -> None:
        """Let the running step finish; then the stream ends with `interrupted`."""
        self._control.request_drain(reason)

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called in the run that is going on or has just ended."""
        return self._control.drain_requested

    async def task(
        self, request: str, *, folder: Path | str, options: Options | None = None
    ) -> AsyncGenerator[Event]:
        """Start a task on a new thread and tell what happens."""
        self._control = RunControl()
        root, request = Path(os.path.realpath(folder)), redact(request)
        validate_request(request, root)
        begun = self._start_thread(TASK, request, root, options or Options(), build_title(request))
        async with aclosing(begun) as events:
            async for event in events:
                yield event

    async def edit(
        self,
        request: str,
        *,
        files: Sequence[str],
        folder: Path | str,
        options: Options | None = None,
    ) -> AsyncGenerator[Event]:
        """Change the named files, and no others, on a new thread; no tests are run.

        `files` are named from the folder; one that does not exist may be made.
        """
        self._control = RunControl()
        root, request = Path(os.path.realpath(folder)), redact(request)
        validate_request(request, root)
        named = await asyncio.to_thread(resolve_edit_files, files, root, self.home)
        wanted: Options = {**(options or {}), "files": named}
        title = build_title(f"{', '.join(named)}: {request.strip()}")
        async with aclosing(self._start_thread(EDIT, request, root, wanted, title)) as events:
            async for event in events:
                yield event

    async def chat(
        self,
        message: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        name: str = "",
        title: str = "",
        agent: str = "",
    ) -> AsyncGenerator[Event]:
        """Begin a conversation on a new thread; its turn ends with the answer.

        `agent` speaks this turn only. Without a `title` it is the message's first line.
        """
        self._control = RunControl()
        root, message = Path(os.path.realpath(folder)), redact(message)
        validate_request(message, root)
        wanted: Options = {"agent": "build", **build_chat_options(options, agent)}
        begun = self._start_thread(CHAT, message, root, wanted, title or build_title(message), name)
        async with aclosing(begun) as events:
            async for event in events:
                yield event

    async def say(
        self,
        thread: str,
        message: str,
        *,
        options: Options | None = None,
        agent: str = "",
        abandon: bool = False,
    ) -> AsyncGenerator[Event]:
        """Go on with a conversation: one more turn, `options` hold from here on.

        `agent` speaks this turn only. Raises UnfinishedTurn where a call or a question is open, or
        a kill has cut an answer short, unless it is to be abandoned: then each call that has no
        answer gets one.
        """
        self._control = RunControl()
        row, message = self.threads.find(thread), redact(message)
        validate_request(message, Path(row.folder))
        if find_job(row.graph) is not CHAT:
            raise UsageError(
                text("thread `{thread_id}` is not a conversation", thread_id=row.thread_id[:8]),
                hint=text(
                    "continue it with `mcode resume {thread_id}`", thread_id=row.thread_id[:8]
                ),
            )
        context = self._create_context()
        await self.pool.reload_if_changed(row.folder)
        wanted = build_chat_options(options, agent)
        row = await self._load_current_options(row)
        row = replace(row, options={**select_lasting(cast(Options, row.options)), **wanted})
        deps = await self.pool.open(row.folder, row.options, context)
        if named := agent or (options or {}).get("agent", ""):
            deps.agents.find_primary_agent(named)
        # whoever is to hear it must be there before anything is said
        await asyncio.to_thread(open_agent, deps, choose_next_agent(row.options))
        told = collect_standing_notices(deps, tests=False)
        words = UserMessage(message, wanted, abandon)
        run = self._run_thread(row, context, answer=None, resumed=True, notices=told, words=words)
        async with aclosing(run) as events:
            async for event in events:
                yield event

    async def _start_thread(
        self, job: Job, request: str, root: Path, options: Options, title: str, name: str = ""
    ) -> AsyncGenerator[Event]:
        context = self._create_context()
        await asyncio.to_thread(grant_if_empty, root, self.home)
        await self.pool.reload_if_changed(str(root))
        # a wrong folder, model, script or configuration is told before a thread exists
        deps = await self.pool.open(str(root), options, context)
        if named := options.get("speaker") or options.get("agent", ""):
            deps.agents.find_primary_agent(named)
        await asyncio.to_thread(open_agent, deps, named or job.first_role)
        row = await asyncio.to_thread(
            self.threads.record_thread,
            thread_id=str(uuid4()),
            title=title,
            folder=str(root),
            graph=job.name,
            request=request,
            options=options,
            name=name,
        )
        told = collect_notices(root, self.threads.set_aside, deps.from_project)
        if marks := find_marks("\n".join([request, *options.get("aside", ())])):
            told.append(text(HIDDEN, marks=", ".join(sorted(marks))))
        told += collect_standing_notices(deps, tests=_needs_tests(job, options))
        run = self._run_thread(row, context, answer=None, resumed=False, notices=told)
        async with aclosing(run) as events:
            async for event in events:
                yield event

    def _create_context(self) -> Context:
        return Context(home=str(self.home), pool=self.pool)

    async def open_dependencies(self, folder: str, options: Options) -> Dependencies:
        """Return what a run in this folder would work with under these options.

        Raises UsageError for a wrong folder, configuration or endpoint.
        """
        return await self.pool.open(folder, options, self._create_context())

    async def options_of(self, thread: str) -> Options:
        """The options that hold in a thread by now, as its next message finds them."""
        row = await self._load_current_options(self.threads.find(thread))
        return select_lasting(row.options)

    async def _load_current_options(self, row: ThreadRow) -> ThreadRow:
        """The row with the options that hold by now: those on the list are the first ones."""
        graph = await asyncio.to_thread(self._graph_of, find_job(row.graph))
        with translate_sqlite_errors(paths.locate_database(self.home)):
            state = await graph.aget_state({"configurable": {"thread_id": row.thread_id}})
        return replace(row, options=state.values.get("options") or row.options)

    async def resume(
        self, thread: str, answer: Answer | None = None, *, context: Context | None = None
    ) -> AsyncGenerator[Event]:
        """Go on with a thread where it was; `thread` is an id, its beginning, or a name."""
        self._control = RunControl()
        row = self.threads.find(thread)
        own = replace(context or Context(), home=str(self.home), pool=self.pool)
        row = await self._load_current_options(row)
        told = list[str]()
        if answer is None or not answer.question:  # else it was asked here, and the run goes on
            await self.pool.reload_if_changed(row.folder)
            deps = await self.pool.open(row.folder, row.options, own)
            told = collect_standing_notices(
                deps, tests=_needs_tests(find_job(row.graph), row.options)
            )
        self.pool.add_session_rules(
            [one["always"] for one in (answer.decisions if answer else ()) if one.get("always")]
        )
        run = self._run_thread(row, own, answer=answer, resumed=True, notices=told)
        async with aclosing(run) as events:
            async for event in events:
                yield event

    async def _run_thread(
        self,
        row: ThreadRow,
        context: Context,
        *,
        answer: Answer | None,
        resumed: bool,
        notices: Sequence[str] = (),
        words: UserMessage | None = None,
    ) -> AsyncGenerator[Event]:
        deps = await self.pool.open(row.folder, row.options, context)
        graph = await asyncio.to_thread(self._graph_of, find_job(row.graph))
        with acquire_lease(self.home, row.thread_id):
            told = [*notices, *await finish_restore(deps, row.thread_id)]
            killed = resumed and await asyncio.to_thread(has_crashed, self.home, row.thread_id)
            if killed:
                with translate_sqlite_errors(paths.locate_database(self.home)):
                    await restore_partial_answer(graph, deps.journal, row.thread_id)
            run = ThreadRun(
                graph, row, context, deps, self._control, answer, resumed, told, words, killed
            )
            status: ThreadStatus = (
                "interrupted"  # what holds when the stream is closed or cancelled
            )
            evidence, half = None, PartialAnswer()
            try:
                # off the loop: a run that was closed may still have to commit on it: waited for
                await run_shielded(
                    asyncio.to_thread(self.threads.set_status, row.thread_id, "running")
                )
                async with aclosing(run.stream_events()) as events:
                    async for event in events:
                        half.add_event(event)
                        status = derive_status(event) or status
                        evidence = as_json(event) if isinstance(event, EvidenceFound) else evidence
                        yield event
            except (asyncio.CancelledError, GeneratorExit):
                if status == "interrupted" and self._control.drain_reason == "timeout":
                    status = "limit"
                with translate_sqlite_errors(paths.locate_database(self.home)):
                    await half.save_to_thread(graph, row.thread_id)
                raise
            except UsageError:
                status = "running" if killed else row.status
                raise
            finally:
                await run_shielded(
                    asyncio.to_thread(self._record_status, row.thread_id, status, evidence)
                )

    def _record_status(
        self, thread_id: str, status: ThreadStatus, evidence: Mapping[str, Any] | None
    ) -> None:
        try:
            self.threads.set_status(thread_id, status, evidence=evidence)
        except MaxAgentError:
            if status != "failed":  # a failed run has told already what the disk refuses
                raise


def _needs_tests(job: Job, options: Options) -> bool:
    return job is TASK and not options.get("skip_tests")
