"""The Runner for programs without an event loop: `for event in runner.task(...)`."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, Self, TypeVar

from ..config.errors import UsageError
from ..nodes.options import Options
from .events import Event
from .interrupt_response import Answer
from .runner import Runner
from .runs.result import RunResult, build_result

Result = TypeVar("Result")


@dataclass(frozen=True)
class _Opened:
    """The Runner in its own thread."""

    loop: asyncio.AbstractEventLoop
    runner: Runner
    closing: asyncio.Event


class SyncRunner:
    """A Runner in a thread of its own; its methods are those of `Runner`, without `async`.

        with SyncRunner() as runner:
            for event in runner.task("Repair the test", folder="."):
                ...

    A run goes on only while its next event is asked for. To leave the loop early stops it at once;
    nothing is lost, `resume` goes on.
    """

    def __init__(self, *, home: Path | None = None) -> None:
        self._home = home
        self._opened: Future[_Opened] = Future()
        self._thread = Thread(target=self._serve, name="maxagent", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._opened.result()
        return self

    def __exit__(self, *_: object) -> None:
        opened = self._opened.result()
        opened.loop.call_soon_threadsafe(opened.closing.set)
        self._thread.join()

    def task(
        self, request: str, *, folder: Path | str, options: Options | None = None
    ) -> Generator[Event]:
        """Run a task on a new thread."""
        return self._iterate(lambda runner: runner.task(request, folder=folder, options=options))

    def generate_tests(
        self, file: str, message: str = "", *, folder: Path | str, options: Options | None = None
    ) -> Generator[Event]:
        """Write tests for one file on a new thread, which can change test files only."""
        return self._iterate(
            lambda runner: runner.generate_tests(file, message, folder=folder, options=options)
        )

    def edit(
        self,
        request: str,
        *,
        files: Sequence[str],
        folder: Path | str,
        options: Options | None = None,
    ) -> Generator[Event]:
        """Change the named files, and no others, on a new thread."""
        return self._iterate(
            lambda runner: runner.edit(request, files=files, folder=folder, options=options)
        )

    def chat(
        self,
        message: str,
        *,
        folder: Path | str,
        options: Options | None = None,
        name: str = "",
        agent: str = "",
    ) -> Generator[Event]:
        """Start a conversation on a new thread; its turn ends with the answer."""
        return self._iterate(
            lambda runner: runner.chat(
                message, folder=folder, options=options, name=name, agent=agent
            )
        )

    def say(
        self, thread: str, message: str, *, options: Options | None = None, abandon: bool = False
    ) -> Generator[Event]:
        """Continue a conversation by one turn."""
        return self._iterate(
            lambda runner: runner.say(thread, message, options=options, abandon=abandon)
        )

    def resume(
        self, thread: str, answer: Answer | Sequence[Answer] | None = None
    ) -> Generator[Event]:
        """Continue a thread where it stopped."""
        return self._iterate(lambda runner: runner.resume(thread, answer))

    @staticmethod
    def collect(events: Iterable[Event]) -> RunResult:
        """Read a stream to its end; raises MaxAgentError if the run failed."""
        return build_result(events)

    def stop(self) -> None:
        """Let the running step finish; called from another thread than the one that reads."""
        opened = self._open()
        opened.loop.call_soon_threadsafe(opened.runner.stop)

    def call(self, work: Callable[[Runner], Coroutine[Any, Any, Result]]) -> Result:
        """Return the result of another method: `runner.call(lambda r: r.changes(thread))`."""
        opened = self._open()
        return asyncio.run_coroutine_threadsafe(work(opened.runner), opened.loop).result()

    def _iterate(self, begin: Callable[[Runner], AsyncGenerator[Event]]) -> Generator[Event]:
        """Yield the events of a run, each asked for only when the one before it is done with."""
        opened, requests = self._open(), asyncio.Queue[Future[Event | None]]()
        answering = _answer_requests(begin(opened.runner), requests)
        run = asyncio.run_coroutine_threadsafe(answering, opened.loop)
        try:
            while True:
                request: Future[Event | None] = Future()
                opened.loop.call_soon_threadsafe(requests.put_nowait, request)
                event = request.result()
                if event is None:
                    return
                yield event
        finally:
            run.cancel()
            wait([run])

    def _open(self) -> "_Opened":
        if not self._thread.is_alive():
            raise UsageError("the runner is not open", hint="use `with SyncRunner() as runner:`")
        return self._opened.result()

    def _serve(self) -> None:
        try:
            asyncio.run(self._keep_open())
        except BaseException as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)

    async def _keep_open(self) -> None:
        async with Runner(home=self._home) as runner:
            opened = _Opened(asyncio.get_running_loop(), runner, asyncio.Event())
            self._opened.set_result(opened)
            await opened.closing.wait()


async def _answer_requests(
    events: AsyncGenerator[Event], requests: asyncio.Queue[Future[Event | None]]
) -> None:
    """Answer each request with the run's next event, None at its end, or its exception."""
    async with aclosing(events):
        while True:
            request = await requests.get()
            try:
                request.set_result(await anext(events, None))
            except Exception as error:
                request.set_exception(error)
                return
