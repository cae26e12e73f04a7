"""The Runner for programs without an event loop: `for event in runner.task(...)`."""

import asyncio
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast, overload

from ..config.errors import UsageError
from ..config.settings.hook_entries import HookEvent
from ..config.settings.hooks import HookFunction
from ..memory.threads.index import ThreadIndex
from ..nodes.options import Options
from ..nodes.run.context import Context
from .agents import Agents
from .attempts import StopReason
from .events import Event
from .interrupt_response import Answer
from .runner import Runner
from .runs.event_stream import EventStream, build_closed_error, close_streams
from .runs.question_callback import OnQuestion
from .runs.result import RunResult, build_result
from .runs.with_statement import SyncOnly

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from ..memory.undo.restore import RestoreResult
    from ..memory.undo.restore_plan import Conflict
    from ..tools.runtime.program_tools import ProgramTool
    from .threads.rollback import Rollback, ThreadChanges
    from .threads.steps import StepSummary

Result = TypeVar("Result")


@dataclass(frozen=True)
class SyncRollback:
    """A planned return to a checkpoint: look at it, then `apply` it or leave it."""

    runner: "SyncRunner"
    plan: "Rollback"

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it restores."""
        return self.plan.paths

    @property
    def conflicts(self) -> "Sequence[Conflict]":
        """The files that it leaves alone, since others have changed them."""
        return self.plan.conflicts

    def apply(self) -> "RestoreResult | None":
        """Restore the files, then rewind the conversation; return what happened to the files."""
        return self.runner.call(lambda _: self.plan.apply())


@dataclass(frozen=True)
class _Opened:
    """The Runner in its own thread."""

    loop: asyncio.AbstractEventLoop
    runner: Runner
    closing: asyncio.Event
    streams: list[EventStream] = field(default_factory=list[EventStream])
    """Those that are not closed yet."""


class SyncRunner(SyncOnly):
    """A Runner in a thread of its own; its methods are those of `Runner`, without `async`.

        with SyncRunner() as runner:
            for event in runner.task("Repair the test", folder="."):
                ...

    A run goes on only while its next event is asked for. To leave the loop early stops it at once;
    nothing is lost, `resume` goes on.
    """

    def __init__(
        self,
        *,
        home: Path | str | None = None,
        on_question: OnQuestion | None = None,
        tools: "Sequence[ProgramTool]" = (),
        model: "BaseChatModel | None" = None,
        hooks: Mapping[HookEvent, Sequence[HookFunction]] | None = None,
    ) -> None:
        """`on_question` is called in the runner's thread; None from it leaves a question open."""
        self._create_runner = partial(
            Runner, home=home, on_question=on_question, tools=tools, model=model, hooks=hooks
        )
        self._opened: Future[_Opened] | None = None
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        if self._opened:
            raise UsageError("the runner is open already", hint="use one runner for each `with`")
        self._opened = Future()
        self._thread = Thread(target=self._serve, args=[self._opened], name="maxagent", daemon=True)
        self._thread.start()
        try:
            self._opened.result()
        except BaseException:
            self._opened = None
            raise
        return self

    def __exit__(self, *_: object) -> None:
        opened, thread = self._open(), self._thread
        self._opened = None
        opened.loop.call_soon_threadsafe(opened.closing.set)
        if thread:
            thread.join()

    def task(
        self,
        request: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        title: str = "",
        thread_id: str = "",
        time_limit: float | None = None,
    ) -> Generator[Event]:
        """Run a task on a new thread."""
        return self._iterate(
            lambda runner: runner.task(
                request,
                folder=folder,
                options=options,
                title=title,
                thread_id=thread_id,
                time_limit=time_limit,
            )
        )

    def generate_tests(
        self,
        file: str,
        message: str = "",
        *,
        folder: Path | str,
        options: Options | None = None,
        time_limit: float | None = None,
    ) -> Generator[Event]:
        """Write tests for one file on a new thread, which can change test files only."""
        return self._iterate(
            lambda runner: runner.generate_tests(
                file, message, folder=folder, options=options, time_limit=time_limit
            )
        )

    def edit(
        self,
        request: str,
        *,
        files: Sequence[str],
        folder: Path | str,
        options: Options | None = None,
        time_limit: float | None = None,
    ) -> Generator[Event]:
        """Change the named files, and no others, on a new thread."""
        return self._iterate(
            lambda runner: runner.edit(
                request, files=files, folder=folder, options=options, time_limit=time_limit
            )
        )

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
    ) -> Generator[Event]:
        """Start a conversation on a new thread; its turn ends with the answer."""
        return self._iterate(
            lambda runner: runner.chat(
                message,
                folder=folder,
                options=options,
                name=name,
                title=title,
                agent=agent,
                thread_id=thread_id,
                time_limit=time_limit,
            )
        )

    def say(
        self,
        thread: str,
        message: str,
        *,
        options: Options | None = None,
        agent: str = "",
        abandon: bool = False,
        time_limit: float | None = None,
    ) -> Generator[Event]:
        """Continue a conversation by one turn."""
        return self._iterate(
            lambda runner: runner.say(
                thread,
                message,
                options=options,
                agent=agent,
                abandon=abandon,
                time_limit=time_limit,
            )
        )

    def resume(
        self,
        thread: str,
        answer: Answer | Sequence[Answer] | None = None,
        *,
        context: Context | None = None,
        wait: bool = False,
        now: bool = False,
        time_limit: float | None = None,
    ) -> Generator[Event]:
        """Continue a thread where it stopped."""
        return self._iterate(
            lambda runner: runner.resume(
                thread, answer, context=context, wait=wait, now=now, time_limit=time_limit
            )
        )

    def compact(self, thread: str, focus: str = "") -> Generator[Event]:
        """Compact a conversation now, without a model turn."""
        return self._iterate(lambda runner: runner.compact(thread, focus))

    @staticmethod
    def collect(events: Iterable[Event]) -> RunResult:
        """Read a stream to its end; raises MaxAgentError if the run failed."""
        return build_result(events)

    def stop(self, thread_id: str = "", *, reason: StopReason = "user") -> bool:
        """Let the running step finish; called from another thread than the one that reads."""
        return self.call(lambda runner: runner.stop(thread_id, reason=reason))

    def is_stopping(self, thread_id: str = "") -> bool:
        """Return whether the run of this thread, or the only or last run, was stopped."""
        return self.call(lambda runner: runner.is_stopping(thread_id))

    @overload
    def steer(self, message: str, /) -> str: ...
    @overload
    def steer(self, thread_id: str, message: str) -> str: ...
    def steer(self, thread_id: str, message: str | None = None) -> str:
        """Send a message to a running turn, from another thread than the one that reads."""
        if message is None:
            return self.call(lambda runner: runner.steer(thread_id))
        return self.call(lambda runner: runner.steer(thread_id, message))

    def trust(self, folder: Path | str) -> None:
        """Trust a folder in this runner's home."""
        self.call(lambda runner: runner.trust(folder))

    def options_of(self, thread: str) -> Options:
        """Return the current options of a thread."""
        return self.call(lambda runner: runner.options_of(thread))

    def uncompact(self, thread: str) -> bool:
        """Send all of a conversation again; return whether it had been compacted."""
        return self.call(lambda runner: runner.uncompact(thread))

    def changes(self, thread: str) -> "ThreadChanges":
        """Return what a thread has changed in its folder."""
        return self.call(lambda runner: runner.changes(thread))

    def checkpoints(self, thread: str) -> "Sequence[StepSummary]":
        """Return the steps of a thread; each with a `checkpoint_id` can be rolled back to."""
        return self.call(lambda runner: runner.checkpoints(thread))

    def keep_card(self, thread: str, card_id: str) -> None:
        """Keep a card that a thread has proposed: later threads of the project see it."""
        self.call(lambda runner: runner.keep_card(thread, card_id))

    def drop_card(self, thread: str, card_id: str) -> None:
        """Drop a card that a thread has proposed: it is not shown, and not proposed again."""
        self.call(lambda runner: runner.drop_card(thread, card_id))

    @contextmanager
    def rollback(
        self, thread: str, step: int, *, files: bool = True, talk: bool = True
    ) -> "Generator[SyncRollback]":
        """Plan to go back to a step: `with runner.rollback(thread, 3) as plan: plan.apply()`."""
        stack = AsyncExitStack()

        async def open_plan(runner: Runner) -> "Rollback":
            planned = runner.rollback(thread, step, files=files, talk=talk)
            return await stack.enter_async_context(planned)

        plan = self.call(open_plan)
        try:
            yield SyncRollback(self, plan)
        finally:
            self.call(lambda _: stack.aclose())

    @property
    def agents(self) -> Agents:
        """The agents of this runner's home."""
        return self._open().runner.agents

    @property
    def threads(self) -> ThreadIndex:
        """The list of threads."""
        return self._open().runner.threads

    @overload
    def call(self, work: Callable[[Runner], Awaitable[Result]]) -> Result: ...
    @overload
    def call(self, work: Callable[[Runner], Result]) -> Result: ...
    def call(self, work: Callable[[Runner], Any]) -> Any:
        """Return the result of another method: `runner.call(lambda r: r.changes(thread))`."""
        opened = self._open()
        return asyncio.run_coroutine_threadsafe(_call(work, opened.runner), opened.loop).result()

    def _iterate(self, begin: Callable[[Runner], AsyncGenerator[Event]]) -> Generator[Event]:
        """Yield the events of a run, each asked for only when the one before it is done with."""
        streams = self._open().streams

        async def open_stream(runner: Runner) -> EventStream:
            streams.append(stream := EventStream(begin(runner)))
            return stream

        stream = self.call(open_stream)
        try:
            while (event := self.call(lambda _: stream.request())) is not None:
                yield event
        finally:
            if self._is_open_with(streams):
                self.call(lambda _: close_streams([stream]))
                streams.remove(stream)

    def _is_open_with(self, streams: "list[EventStream]") -> bool:
        """Return whether it is still the same opening, whose end stops its streams."""
        return self._opened is not None and self._open().streams is streams

    def _open(self) -> "_Opened":
        if self._opened is None:
            raise build_closed_error()
        return self._opened.result()

    def _serve(self, opened: "Future[_Opened]") -> None:
        try:
            asyncio.run(self._keep_open(opened))
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    async def _keep_open(self, open_result: "Future[_Opened]") -> None:
        async with self._create_runner() as runner:
            opened = _Opened(asyncio.get_running_loop(), runner, asyncio.Event())
            open_result.set_result(opened)
            await opened.closing.wait()
            await close_streams(opened.streams)


async def _call(work: Callable[[Runner], Any], runner: Runner) -> Any:
    result = work(runner)
    if isinstance(result, AsyncGenerator):
        await cast("AsyncGenerator[Any]", result).aclose()
        hint = "use the method of the same name, which yields the events"
        raise UsageError("`call` cannot follow a stream of events", hint=hint)
    if isinstance(result, AbstractAsyncContextManager):
        hint = "use `with runner.rollback(…) as plan:`"
        raise UsageError("`call` cannot hold what must be closed", hint=hint)
    return await result if isawaitable(result) else result
