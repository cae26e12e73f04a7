"""A worker: runs the threads that it claims from the queue, each until it ends or asks."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ...config.crash_report import describe_error
from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...config.trust.decision import trust
from ...memory.threads.record import ThreadRow
from ...memory.threads.retention import find_deletion_limit
from ...nodes.events.question import Answer
from ..events import Event, Interrupted, Question, as_json
from ..interrupt_response import NoQuestionError, OtherQuestionError
from ..outcome import derive_status
from ..runner import Runner
from ..threads.workspace import open_workspace
from .claims import EXTEND_SECONDS, Claims
from .queue import ThreadJob, ThreadQueue

# Seconds after which a thread that another process runs is tried again
BUSY_DELAY = 5.0
# Seconds between two tries to enqueue, and how many a worker makes that is to end
_PAUSE, _LAST_TRIES = 1.0, 10
# Of threads that a run can continue without an answer
_CAN_RUN = frozenset({"running", "interrupted", "queued"})
# Of threads whose last event a run without an answer repeats, and changes nothing
_HAS_RESULT = frozenset({"waiting", "done", "unverified", "failed", "undone"})
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerEvent:
    """What a worker does with a job."""

    kind: Literal["claimed", "ended"]
    job: ThreadJob
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class _NextRun:
    """What follows a job."""

    delay: float = 0.0
    answer: Mapping[str, Any] | None = None
    """The answer that did not count."""


@dataclass
class Worker:
    """Runs the jobs of one home's queue in this process."""

    home: Path
    parallel: int = 1
    """Jobs at a time."""
    trusts_clones: bool = False
    """Whether the clones that it makes are trusted, so that their tests run."""
    show: Callable[[WorkerEvent], None] = lambda event: None

    def __post_init__(self) -> None:
        self._draining = asyncio.Event()
        self._tasks = dict[str, asyncio.Task[None]]()
        self._cancelled = set[str]()
        self._folders = Counter[str]()
        """How many jobs work in each folder now."""

    def drain(self) -> None:
        """Take no more jobs; let each step end, and leave the rest to other workers."""
        self._draining.set()

    async def run(self, *, until_empty: bool = False) -> None:
        """Run jobs until `drain`; with `until_empty` until none is left anywhere."""
        queue = await asyncio.to_thread(ThreadQueue, self.home)
        try:
            if limit := find_deletion_limit():  # as the policy has it for threads
                await asyncio.to_thread(queue.delete_ended, limit)
            async with (
                Runner(home=self.home) as runner,
                Claims(self.home, self.parallel, queue) as claims,
            ):
                signs = asyncio.ensure_future(self._extend(claims, runner))
                try:
                    await self._take_jobs(queue, claims, runner, until_empty=until_empty)
                finally:
                    claims.stop_claiming()
                    await self._end_runs(runner)
                    signs.cancel()
                    await asyncio.wait([signs])
        finally:
            await asyncio.to_thread(queue.close)

    async def _take_jobs(
        self, queue: ThreadQueue, claims: Claims, runner: Runner, *, until_empty: bool
    ) -> None:
        drained = asyncio.ensure_future(self._draining.wait())
        claim: asyncio.Task[ThreadJob] | None = None
        try:
            while not drained.done():
                claim = claim or asyncio.ensure_future(claims.claim())
                await asyncio.wait([claim, drained], timeout=1.0, return_when="FIRST_COMPLETED")
                if claim.done():
                    self._begin(claim.result(), queue, claims, runner)
                    claim = None
                elif until_empty and not self._tasks and await _is_empty(queue):
                    return
        finally:
            drained.cancel()
            if claim:
                claim.cancel()

    def _begin(self, job: ThreadJob, queue: ThreadQueue, claims: Claims, runner: Runner) -> None:
        task = asyncio.ensure_future(self._run_job(job, queue, claims, runner))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))

    async def _run_job(
        self, job: ThreadJob, queue: ThreadQueue, claims: Claims, runner: Runner
    ) -> None:
        self._report(WorkerEvent("claimed", job))
        result: dict[str, Any]
        following: _NextRun | None = None
        try:
            result, following = await self._run_thread(job, claims, runner)
        except ThreadBusyError as error:  # another process runs it: look again later
            result = {"status": "busy", "error": error.message}
            following = _NextRun(BUSY_DELAY, job.answer)
        except MaxAgentError as error:
            result = self._describe_failure(error)
            if getattr(error.__cause__, "is_lost", False):  # the database is gone for a while
                result = {**result, "status": "interrupted"}
                following = _NextRun(BUSY_DELAY, job.answer)
        except Exception as error:
            result = self._describe_failure(error)
        if result["status"] == "failed" and not following:
            await asyncio.to_thread(_end_waiting, job, runner)
        if following:
            try:
                if not await self._wake(job, following, queue, runner):
                    return  # another worker takes the job over
            except UsageError as error:  # its thread was deleted
                result = self._describe_failure(error)
        result = {"thread_id": job.thread_id, "run": job.run, **result}
        claims.finish(job, result)
        self._report(WorkerEvent("ended", job, result))

    def _describe_failure(self, error: Exception) -> dict[str, Any]:
        description = describe_error(error, self.home)
        return {"status": "failed", "error": description.message, "hint": description.hint}

    def _report(self, event: WorkerEvent) -> None:
        """Show an event; a reader of the output that is gone does not hold the job up."""
        try:
            self.show(event)
        except Exception as error:
            _logger.warning("output stopped: %s", error)
            self.show = lambda _: None

    async def _run_thread(
        self, job: ThreadJob, claims: Claims, runner: Runner
    ) -> "tuple[dict[str, Any], _NextRun | None]":
        """Run a thread; return what became of the job, and what is to follow."""
        row = await asyncio.to_thread(runner.threads.find, job.thread_id)
        if not _needs_run(row, job) and not (
            # its worker died before the queue had the result: the thread says it once more
            row.status in _HAS_RESULT and await claims.is_retry(job)
        ):
            return {"status": row.status}, None
        row = await asyncio.to_thread(open_workspace, row, self.home)
        if self.trusts_clones and row.options.get("workspace"):
            await asyncio.to_thread(trust, Path(row.folder), self.home)
        last: Event | None = None
        async with (
            self._work_in(row.folder, runner),
            aclosing(_resume(job, claims, runner)) as events,
        ):
            async for event in events:
                last = event
                if self._draining.is_set() or job.id in self._cancelled:
                    runner.stop(job.thread_id)
        following: _NextRun | None = None
        if isinstance(last, Interrupted) and job.id not in self._cancelled:
            following = _NextRun()
        if isinstance(last, Question) and last.kind == "limit" and last.until:
            following = _NextRun(_count_seconds(last.until))
        return _build_result(last), following

    @asynccontextmanager
    async def _work_in(self, folder: str, runner: Runner) -> AsyncGenerator[None]:
        """Close what is open for the folder after its last job: each clone is another folder."""
        self._folders[folder] += 1
        try:
            yield
        finally:
            self._folders[folder] -= 1
            if not self._folders[folder]:
                del self._folders[folder]
                await runner.pool.close_folder(folder)

    async def _wake(
        self, job: ThreadJob, following: "_NextRun", queue: ThreadQueue, runner: Runner
    ) -> bool:
        """Leave the rest of a thread to its next run; while the database is gone, try again.

        False if it was gone when the worker had to end. Raises UsageError without the thread.
        """
        tries = 0
        while True:
            try:
                row = await asyncio.to_thread(runner.threads.find, job.thread_id)
                if row.status == "interrupted":
                    await asyncio.to_thread(runner.threads.set_status, row.thread_id, "queued")
                options = {"answer": following.answer, "delay": following.delay}
                await asyncio.to_thread(partial(queue.wake, row, **options, after=job.run))
                return True
            except UsageError:
                raise
            except Exception as error:
                _logger.warning("job %s has no next run yet: %s", job.id, error)
            tries += self._draining.is_set()
            if tries >= _LAST_TRIES:
                return False
            await asyncio.sleep(_PAUSE)

    async def _extend(self, claims: Claims, runner: Runner) -> None:
        while True:
            try:
                self._cancelled = set(await claims.extend())
            except Exception as error:  # the database is gone for a while
                _logger.warning("no sign of life left: %s", error)
            for job_id in self._cancelled & self._tasks.keys():
                with suppress(Exception):  # it has just ended
                    runner.stop(job_id.rpartition(":")[0])
            await asyncio.sleep(EXTEND_SECONDS)

    async def _end_runs(self, runner: Runner) -> None:
        self._draining.set()
        for job_id in list(self._tasks):
            with suppress(Exception):
                runner.stop(job_id.rpartition(":")[0])
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))


async def _resume(job: ThreadJob, claims: Claims, runner: Runner) -> AsyncGenerator[Event]:
    """Yield the events of a job's run.

    An answer that a worker has given, which then died, is not given again: its thread goes on.
    """
    answer = Answer(**job.answer) if job.answer else None
    try:
        async with aclosing(runner.resume(job.thread_id, answer)) as events:
            async for event in events:
                yield event
        return
    except (NoQuestionError, OtherQuestionError):
        if not await claims.is_retry(job):
            raise
    async with aclosing(runner.resume(job.thread_id)) as events:
        async for event in events:
            yield event


def _end_waiting(job: ThreadJob, runner: Runner) -> None:
    """Let a thread whose job has failed before its run began wait for no worker."""
    with suppress(MaxAgentError):
        row = runner.threads.find(job.thread_id)
        if row.status == "queued":
            runner.threads.set_status(row.thread_id, "waiting" if row.questions else "interrupted")


async def _is_empty(queue: ThreadQueue) -> bool:
    """Return whether no job is left; raises MaxAgentError if the database stays gone."""
    for _ in range(_LAST_TRIES):
        with suppress(MaxAgentError):
            return not await asyncio.to_thread(queue.has_open)
        await asyncio.sleep(_PAUSE)
    return not await asyncio.to_thread(queue.has_open)


def _needs_run(row: ThreadRow, job: ThreadJob) -> bool:
    """Return whether there is something to do; an earlier try at this job may have done it."""
    if job.answer:
        return True
    return row.status in _CAN_RUN or (row.status == job.status and row.status != "waiting")


def _count_seconds(until: str) -> float:
    seconds = (datetime.fromisoformat(until) - datetime.now(UTC)).total_seconds()
    return max(seconds, BUSY_DELAY + 1)


def _build_result(last: Event | None) -> dict[str, Any]:
    """Return what becomes of the job; the whole diff is in the thread."""
    if last is None:
        return {"status": "interrupted"}
    event = {name: value for name, value in as_json(last).items() if name != "diff"}
    return {"status": derive_status(last) or "unknown", **event}
