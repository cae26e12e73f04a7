"""The streams of all threads of a home, and the runs that a server has begun for its clients."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...config import paths
from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...config.exit_codes import FAILED
from ...config.security.redaction import redact
from ...memory.threads.event_numbers import EventNumbers
from ...memory.threads.index import ThreadIndex
from ...memory.threads.lease import find_holder
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory
from ..cancel_shield import run_shielded
from ..events import Completion, Event, Failure, Interrupted, Question, RunStarted, ToolCall
from .event_stream import ThreadStream
from .history import read_history

if TYPE_CHECKING:
    from ...nodes.options import Options
    from ..runner import Runner

# Seconds between two looks at threads that others run
WATCH_INTERVAL = 0.7
# Streams without a run and a client that keep their messages
MAX_ENDED = 16
_logger = logging.getLogger(__name__)


async def _ignore(rows: list[ThreadRow]) -> None:
    """Take a list that nobody wants."""


class ThreadStreams:
    """Runs threads and streams their events; belongs to one event loop.

    LangGraph is loaded by `open_runner`, with the first run.
    """

    def __init__(self, home: Path, open_runner: "Callable[[], Awaitable[Runner]]") -> None:
        self.home, self.threads, self.open_runner = home, ThreadIndex(home), open_runner
        self._numbers = EventNumbers(paths.locate_database(home))
        self._history = FileHistory(paths.locate_database(home))
        self._streams = dict[str, asyncio.Task[ThreadStream]]()
        self._runs = dict[str, asyncio.Task[None]]()
        self._seen = dict[str, tuple[object, ...]]()
        self._restores = dict[str, int]()
        self._ended = deque[ThreadStream]()
        self.are_resumed = asyncio.Event()
        """Set as soon as the runs that a crash has ended go on."""

    async def open(self, thread_id: str) -> ThreadStream:
        """Return the stream of a thread."""
        task = self._streams.get(thread_id)
        if task is None or (task.done() and task.exception()):
            task = self._streams[thread_id] = asyncio.ensure_future(self._open_stream(thread_id))
        return await asyncio.shield(task)

    async def _open_stream(self, thread_id: str) -> ThreadStream:
        async def reserve() -> int:
            return await asyncio.to_thread(self._numbers.reserve, thread_id)

        def read_history() -> Awaitable[Mapping[str, Any]]:
            return self._read_history(thread_id)

        stream = ThreadStream(thread_id, reserve, read_history, self._release)
        await stream.open()
        return stream

    def _release(self, stream: ThreadStream) -> None:
        """Keep the messages of the streams that were in use last, for those who come back."""
        if stream in self._ended:
            self._ended.remove(stream)
        self._ended.append(stream)
        if len(self._ended) > MAX_ENDED:
            self._ended.popleft().forget_if_unused()

    async def _read_history(self, thread_id: str) -> Mapping[str, Any]:
        row = await asyncio.to_thread(self.threads.find_row, thread_id)
        if row is None:
            return {"thread": None, "entries": []}
        # what changes from here on is a change, though `watch` has not seen the thread yet
        self._seen.setdefault(thread_id, _get_marks(row))
        return await asyncio.to_thread(read_history, row, self.home)

    def is_running(self, thread_id: str) -> bool:
        """Return whether a run that was begun here goes on."""
        return thread_id in self._runs

    def get_running_call(self, thread_id: str) -> ToolCall | None:
        """Return the call that a run that was begun here makes now."""
        task = self._streams.get(thread_id)
        is_open = task is not None and task.done() and not task.cancelled() and not task.exception()
        return task.result().running_call if task and is_open else None

    async def say(self, thread_id: str, message: str, options: "Options") -> int:
        """Begin the next turn of a conversation, as `begin` does.

        A server that crashes before the thread has the message sends it again.
        """

        def start(runner: "Runner") -> AsyncGenerator[Event]:
            return runner.say(thread_id, message, options=options, abandon=True)

        last = await asyncio.to_thread(self._numbers.read_last_checkpoint, thread_id)
        unsent = {"text": redact(message), "options": options, "after": last}
        return await self.begin(thread_id, start, message, unsent)

    async def begin(
        self,
        thread_id: str,
        start: "Callable[[Runner], AsyncGenerator[Event]]",
        message: str = "",
        unsent: Mapping[str, Any] | None = None,
    ) -> int:
        """Begin a run; once it has, return the number after which its events follow.

        `message` is the user's message to it; `unsent` is what sends it again. Raises what the run
        raises before its first event.
        """
        if thread_id in self._runs:
            raise ThreadBusyError("the thread runs already", hint="wait until it ends, or stop it")
        started = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(self._run(thread_id, start, message, unsent, started))
        self._runs[thread_id] = task
        # a task that is cancelled before its first step runs no line, its `finally` neither
        task.add_done_callback(lambda _: self._finish_task(thread_id, task, started))
        await asyncio.shield(started)
        return (await self.open(thread_id)).run_number

    def _finish_task(
        self, thread_id: str, task: "asyncio.Task[None]", started: "asyncio.Future[None]"
    ) -> None:
        if self._runs.get(thread_id) is task:
            del self._runs[thread_id]
        failure = _build_unstarted_error() if task.cancelled() else task.exception()
        if started.done():
            return
        if failure:
            started.set_exception(failure)
        else:
            started.set_result(None)

    async def _run(
        self,
        thread_id: str,
        start: "Callable[[Runner], AsyncGenerator[Event]]",
        message: str,
        unsent: Mapping[str, Any] | None,
        started: "asyncio.Future[None]",
    ) -> None:
        stream = await self.open(thread_id)
        last: Event | None = None
        failure: Exception | None = None
        try:
            runner = await self.open_runner()
            await stream.begin_run()
            async with aclosing(start(runner)) as events:
                last = await self._follow(events, stream, message, unsent, started)
        except asyncio.CancelledError:
            last = Interrupted(thread_id)
        except Exception as error:
            if started.done():
                _logger.exception("a run of thread %s ended", thread_id)
                last = _describe_failure(error, thread_id)
            else:
                failure = error
        finally:
            await run_shielded(self._end_run(thread_id, stream, last))
            if failure:
                started.set_exception(failure)

    async def _follow(
        self,
        events: AsyncGenerator[Event],
        stream: ThreadStream,
        message: str,
        unsent: Mapping[str, Any] | None,
        started: "asyncio.Future[None]",
    ) -> Event | None:
        """Publish the events but for the last one: who reads it may go on with the thread."""
        last: Event | None = None
        async for event in events:
            if isinstance(event, Question | Completion | Interrupted | Failure):
                last = event
                continue
            await stream.publish(event)
            if isinstance(event, RunStarted):
                if message:
                    await stream.publish_fact("user_message", {"text": message})
                # not before: the thread of a new job has no row
                await asyncio.to_thread(self._numbers.set_running, stream.thread_id, True, unsent)
            if not started.done():
                started.set_result(None)
        return last

    async def _end_run(self, thread_id: str, stream: ThreadStream, last: Event | None) -> None:
        with suppress(MaxAgentError):
            # on the loop it would wait for a transaction that only the loop can end
            self._seen[thread_id] = await asyncio.to_thread(self._record_end, thread_id)
        if last:
            await stream.publish(last)
        stream.end_run()
        self._runs.pop(thread_id, None)

    def _record_end(self, thread_id: str) -> tuple[object, ...]:
        """Record that no run of the thread goes on; return its marks. Blocks."""
        if thread_id in self._numbers.list_running():
            self._numbers.set_running(thread_id, False)
        return _get_marks(self.threads.get(thread_id))

    def stop(self, thread_id: str) -> bool:
        """Stop a run that was begun here, at once; the thread keeps what was done."""
        task = self._runs.get(thread_id)
        return bool(task and task.cancel())

    async def wait(self, thread_id: str) -> None:
        """Wait for the end of a thread's run."""
        if task := self._runs.get(thread_id):
            await asyncio.wait([task])

    async def report_change(self, thread_id: str) -> None:
        """Send the history to all clients of a thread that was changed, such as by an undo."""
        await (await self.open(thread_id)).replace()

    async def resume_crashed(self) -> list[str]:
        """Resume the runs that a server had started here and a crash has ended; return which."""
        try:
            return await self._resume_all()
        finally:
            self.are_resumed.set()

    async def _resume_all(self) -> list[str]:
        resumed = list[str]()
        for thread_id, unsent in (await asyncio.to_thread(self._numbers.list_running)).items():
            try:
                row = await asyncio.to_thread(self.threads.get, thread_id)
                if find_holder(self.home, thread_id):
                    continue
                last = await asyncio.to_thread(self._numbers.read_last_checkpoint, thread_id)
                if unsent and unsent["after"] == last:  # the thread has not got it
                    await self.say(thread_id, unsent["text"], unsent["options"])
                elif row.status in ("running", "interrupted"):
                    await self.begin(thread_id, _start_again(thread_id))
                else:
                    continue
                resumed.append(thread_id)
            except MaxAgentError as error:
                _logger.warning("thread %s was not resumed: %s", thread_id, error)
                with suppress(MaxAgentError):
                    await asyncio.to_thread(self._numbers.set_running, thread_id, False)
        return resumed

    async def watch(self, on_list: Callable[[list[ThreadRow]], Awaitable[None]] = _ignore) -> None:
        """Look at what others do with the threads, until cancelled; `on_list` gets each list.

        It has what an inbox shows, and the threads whose streams are open.
        """
        while True:
            try:
                running = set(self._runs)  # their rows may be older than their end
                rows = await asyncio.to_thread(self.threads.list_inbox, tuple(self._streams))
                await on_list(rows)
                for row in rows:
                    if row.thread_id not in running:
                        await self._check_for_changes(row)
                await self._check_for_restores()
            except Exception as error:  # one bad look must not be the last one
                _logger.warning("the threads could not be looked at: %s", error)
            await asyncio.sleep(WATCH_INTERVAL)

    async def _check_for_changes(self, row: ThreadRow) -> None:
        marks = _get_marks(row)
        before = self._seen.setdefault(row.thread_id, marks)
        if marks == before or row.thread_id in self._runs:
            return
        if row.thread_id in self._streams:
            # also without a client: one that is away comes back with the number it has
            await self.report_change(row.thread_id)
        self._seen[row.thread_id] = marks

    async def _check_for_restores(self) -> None:
        """Show an undo or rewind of another program, which changes files and no message."""
        find_restores = self._history.find_last_restores
        threads = tuple(self._streams)
        restores = await asyncio.to_thread(find_restores, threads) if threads else {}
        for thread_id in threads:
            number = restores.get(thread_id, 0)
            if self._restores.setdefault(thread_id, number) != number:
                await self.report_change(thread_id)
            self._restores[thread_id] = number

    async def close(self) -> None:
        """Stop all runs; they can be resumed."""
        tasks = list(self._runs.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _build_unstarted_error() -> UsageError:
    return UsageError(
        "the run was stopped before it began, and nothing was sent", hint="send it again"
    )


def _describe_failure(error: Exception, thread_id: str) -> Failure:
    hint = error.hint if isinstance(error, MaxAgentError) else ""
    reason = str(error) if isinstance(error, MaxAgentError) else type(error).__name__
    return Failure(reason, hint, FAILED, thread_id)


def _get_marks(row: ThreadRow) -> tuple[object, ...]:
    return (row.updated_at, row.status, row.questions, row.steps, row.title, row.name)


def _start_again(thread_id: str) -> "Callable[[Runner], AsyncGenerator[Event]]":
    return lambda runner: runner.resume(thread_id)
