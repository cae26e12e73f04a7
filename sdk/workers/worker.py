"""A worker: runs the threads that it claims from the queue, each until it ends or asks."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ...config.crash_report import describe_error
from ...config.errors import ThreadBusyError
from ...config.trust.decision import trust
from ...memory.threads.record import ThreadRow
from ...nodes.events.question import Answer
from ..events import Event, Interrupted, Question, as_json
from ..outcome import derive_status
from ..runner import Runner
from ..threads.workspace import open_workspace
from .claims import EXTEND_SECONDS, Claims
from .queue import ThreadJob, ThreadQueue

# Seconds after which a thread that another process runs is tried again
BUSY_DELAY = 5.0
# Of threads that a run can continue without an answer
_CAN_RUN = frozenset({"running", "interrupted"})
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerEvent:
    """What a worker does with a job."""

    kind: Literal["claimed", "ended"]
    job: ThreadJob
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])


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

    def drain(self) -> None:
        """Take no more jobs; let each step end, and leave the rest to other workers."""
        self._draining.set()

    async def run(self, *, until_empty: bool = False) -> None:
        """Run jobs until `drain`; with `until_empty` until none is left anywhere."""
        queue = await asyncio.to_thread(ThreadQueue, self.home)
        try:
            async with (
                Runner(home=self.home) as runner,
                Claims(self.home, self.parallel) as claims,
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
                elif (
                    until_empty
                    and not self._tasks
                    and not await asyncio.to_thread(queue.count_open)
                ):
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
        try:
            result = await self._run_thread(job, queue, runner)
        except ThreadBusyError as error:  # another process runs it: look again later
            await self._wake(job, queue, runner, BUSY_DELAY, answer=job.answer)
            result = {"status": "busy", "error": error.message}
        except Exception as error:
            description = describe_error(error, self.home)
            result = {"status": "failed", "error": description.message, "hint": description.hint}
        result = {"thread_id": job.thread_id, "run": job.run, **result}
        claims.finish(job, result)
        self._report(WorkerEvent("ended", job, result))

    def _report(self, event: WorkerEvent) -> None:
        """Show an event; a reader of the output that is gone does not hold the job up."""
        try:
            self.show(event)
        except Exception as error:
            _logger.warning("output stopped: %s", error)
            self.show = lambda _: None

    async def _run_thread(
        self, job: ThreadJob, queue: ThreadQueue, runner: Runner
    ) -> dict[str, Any]:
        row = await asyncio.to_thread(runner.threads.find, job.thread_id)
        if not _needs_run(row, job):
            return {"status": row.status}
        row = await asyncio.to_thread(open_workspace, row, self.home)
        if self.trusts_clones and row.options.get("workspace"):
            await asyncio.to_thread(trust, Path(row.folder), self.home)
        answer = Answer(**job.answer) if job.answer else None
        last: Event | None = None
        async with aclosing(runner.resume(job.thread_id, answer)) as events:
            async for event in events:
                last = event
                if self._draining.is_set() or job.thread_id in self._cancelled:
                    runner.stop(job.thread_id)
        if isinstance(last, Interrupted) and job.thread_id not in self._cancelled:
            await self._wake(job, queue, runner)
        if isinstance(last, Question) and last.kind == "limit" and last.until:
            await self._wake(job, queue, runner, _count_seconds(last.until))
        return _build_result(last)

    async def _wake(
        self,
        job: ThreadJob,
        queue: ThreadQueue,
        runner: Runner,
        delay: float = 0.0,
        answer: Mapping[str, Any] | None = None,
    ) -> None:
        """Leave the rest of a thread to its next run; an answer that did not count goes along."""
        row = await asyncio.to_thread(runner.threads.find, job.thread_id)
        wake = partial(queue.wake, row, answer=answer, delay=delay, after=job.run)
        await asyncio.to_thread(wake)

    async def _extend(self, claims: Claims, runner: Runner) -> None:
        while True:
            try:
                self._cancelled |= set(await claims.extend())
            except Exception as error:  # the database is gone for a while
                _logger.warning("no sign of life left: %s", error)
            for thread_id in self._cancelled:
                with suppress(Exception):  # it has just ended
                    runner.stop(thread_id)
            await asyncio.sleep(EXTEND_SECONDS)

    async def _end_runs(self, runner: Runner) -> None:
        self._draining.set()
        for job_id in list(self._tasks):
            with suppress(Exception):
                runner.stop(job_id.rpartition(":")[0])
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))


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
