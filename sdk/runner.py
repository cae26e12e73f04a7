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
from ..config.security.redaction import marks_in, redacted
from ..config.trust.decision import trust_if_empty
from ..memory.database.checkpoint_queries import part
from ..memory.database.checkpointer import open_checkpointer
from ..memory.database.connection import explained
from ..memory.threads.index import ThreadIndex
from ..memory.threads.lease import hold, was_killed
from ..memory.threads.record import Status, ThreadRow, title_of
from ..nodes.agent.agent import open_voice
from ..nodes.agent.dependencies import close_workbenches, learn, look_again, workbench
from ..nodes.agent.modes import speaking
from ..nodes.context import Context
from ..nodes.state import Options, lasting
from .events import Event, EvidenceFound, as_json
from .graph_registry import CHAT, EDIT, TASK, Job, compiled, job_of
from .interrupt_response import Answer
from .outcome import status_after
from .partial_answer import HalfAnswer, restore_half_answer
from .run import Run, Words
from .run_request import chosen_options, edit_files, refuse_unusable
from .shielded import to_its_end
from .startup_notices import HIDDEN, finish_restore, notices, standing


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
        self.home = home or paths.home()
        self.threads = ThreadIndex(self.home)
        self._control = RunControl()
        self._closing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        opened = open_checkpointer(paths.database(self.home))
        saver = await self._closing.enter_async_context(opened)
        self._closing.push_async_callback(close_workbenches)
        self._graph_of = cache(partial(compiled, saver=saver))
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
        root, request = Path(os.path.realpath(folder)), redacted(request)
        refuse_unusable(request, root)
        begun = self._begin(TASK, request, root, options or Options(), title_of(request))
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
        root, request = Path(os.path.realpath(folder)), redacted(request)
        refuse_unusable(request, root)
        named = await asyncio.to_thread(edit_files, files, root, self.home)
        wanted: Options = {**(options or {}), "files": named}
        title = title_of(f"{', '.join(named)}: {request.strip()}")
        async with aclosing(self._begin(EDIT, request, root, wanted, title)) as events:
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
        root, message = Path(os.path.realpath(folder)), redacted(message)
        refuse_unusable(message, root)
        wanted: Options = {"agent": "build", **chosen_options(options, agent)}
        begun = self._begin(CHAT, message, root, wanted, title or title_of(message), name)
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
        row, message = self.threads.find(thread), redacted(message)
        refuse_unusable(message, Path(row.folder))
        if job_of(row.graph) is not CHAT:
            raise UsageError(
                f"thread `{row.thread_id[:8]}` is not a conversation",
                hint=f"continue it with `mcode resume {row.thread_id[:8]}`",
            )
        context = Context(home=str(self.home))
        await look_again(row.folder)
        wanted = chosen_options(options, agent)
        row = await self._as_it_stands(row)
        row = replace(row, options={**lasting(cast(Options, row.options)), **wanted})
        bench = await workbench(row.folder, row.options, context)
        if named := agent or (options or {}).get("agent", ""):
            bench.agents.find_speaking(named)
        # whoever is to hear it must be there before anything is said
        await asyncio.to_thread(open_voice, bench, speaking(row.options))
        told = standing(bench, tests=False)
        words = Words(message, wanted, abandon)
        run = self._run(row, context, answer=None, resumed=True, notices=told, words=words)
        async with aclosing(run) as events:
            async for event in events:
                yield event

    async def _begin(
        self, job: Job, request: str, root: Path, options: Options, title: str, name: str = ""
    ) -> AsyncGenerator[Event]:
        context = Context(home=str(self.home))
        await asyncio.to_thread(trust_if_empty, root, self.home)
        await look_again(str(root))
        # a wrong folder, model, script or configuration is told before a thread exists
        bench = await workbench(str(root), options, context)
        if named := options.get("speaker") or options.get("agent", ""):
            bench.agents.find_speaking(named)
        await asyncio.to_thread(open_voice, bench, named or job.begins)
        row = await asyncio.to_thread(
            self.threads.record,
            thread_id=str(uuid4()),
            title=title,
            folder=str(root),
            graph=job.name,
            request=request,
            options=options,
            name=name,
        )
        told = notices(root, self.threads.set_aside, bench.from_project)
        if marks := marks_in("\n".join([request, *options.get("aside", ())])):
            told.append(HIDDEN.format(marks=", ".join(sorted(marks))))
        told += standing(bench, tests=_runs_tests(job, options))
        run = self._run(row, context, answer=None, resumed=False, notices=told)
        async with aclosing(run) as events:
            async for event in events:
                yield event

    async def options_of(self, thread: str) -> Options:
        """The options that hold in a thread by now, as its next message finds them."""
        row = await self._as_it_stands(self.threads.find(thread))
        return lasting(row.options)

    async def _as_it_stands(self, row: ThreadRow) -> ThreadRow:
        """The row with the options that hold by now: those on the list are the first ones."""
        kept = await asyncio.to_thread(self.threads.values_of, row.thread_id)
        return replace(row, options=part(kept, "options") or row.options)

    async def resume(
        self, thread: str, answer: Answer | None = None, *, context: Context | None = None
    ) -> AsyncGenerator[Event]:
        """Go on with a thread where it was; `thread` is an id, its beginning, or a name."""
        self._control = RunControl()
        row = self.threads.find(thread)
        given = context or Context()
        own = Context(str(self.home), given.mode, given.model, given.base_url)
        row = await self._as_it_stands(row)
        told = list[str]()
        if answer is None or not answer.question:  # else it was asked here, and the run goes on
            await look_again(row.folder)
            bench = await workbench(row.folder, row.options, own)
            told = standing(bench, tests=_runs_tests(job_of(row.graph), row.options))
        learn([one["always"] for one in (answer.decisions if answer else ()) if one.get("always")])
        run = self._run(row, own, answer=answer, resumed=True, notices=told)
        async with aclosing(run) as events:
            async for event in events:
                yield event

    async def _run(
        self,
        row: ThreadRow,
        context: Context,
        *,
        answer: Answer | None,
        resumed: bool,
        notices: Sequence[str] = (),
        words: Words | None = None,
    ) -> AsyncGenerator[Event]:
        bench = await workbench(row.folder, row.options, context)
        graph = await asyncio.to_thread(self._graph_of, job_of(row.graph))
        with hold(self.home, row.thread_id):
            told = [*notices, *await finish_restore(bench, row.thread_id)]
            killed = resumed and await asyncio.to_thread(was_killed, self.home, row.thread_id)
            if killed:
                with explained(paths.database(self.home)):
                    await restore_half_answer(graph, bench.journal, row.thread_id)
            run = Run(
                graph, row, context, bench, self._control, answer, resumed, told, words, killed
            )
            status: Status = "interrupted"  # what holds when the stream is closed or cancelled
            evidence, half = None, HalfAnswer()
            try:
                # off the loop: a run that was closed may still have to commit on it: waited for
                await to_its_end(
                    asyncio.to_thread(self.threads.set_status, row.thread_id, "running")
                )
                async with aclosing(run.events()) as events:
                    async for event in events:
                        half.hear(event)
                        status = status_after(event) or status
                        evidence = as_json(event) if isinstance(event, EvidenceFound) else evidence
                        yield event
            except (asyncio.CancelledError, GeneratorExit):
                if status == "interrupted" and self._control.drain_reason == "timeout":
                    status = "limit"
                with explained(paths.database(self.home)):
                    await half.keep(graph, row.thread_id)
                raise
            except UsageError:
                status = "running" if killed else row.status
                raise
            finally:
                await to_its_end(asyncio.to_thread(self._note, row.thread_id, status, evidence))

    def _note(self, thread_id: str, status: Status, evidence: Mapping[str, Any] | None) -> None:
        try:
            self.threads.set_status(thread_id, status, evidence=evidence)
        except MaxAgentError:
            if status != "failed":  # a failed run has told already what the disk refuses
                raise


def _runs_tests(job: Job, options: Options) -> bool:
    return job is TASK and not options.get("skip_tests")
