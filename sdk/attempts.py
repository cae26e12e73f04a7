"""Attempts at a task: each runs as a thread of its own, beside the run that started it."""

import asyncio
import dataclasses
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from ..config.errors import MaxAgentError, UsageError
from ..memory.threads.index import ThreadIndex
from ..memory.threads.record import ThreadRow, ThreadStatus
from ..nodes.options import Options
from ..nodes.outcome import find_failure_cause
from ..nodes.run.attempt import Attempt, AttemptEnd, AttemptStep, ReportStep
from ..nodes.state import State
from ..nodes.usage import Usage
from .events import Event, Failure, Interrupted, RoleStarted, TokenUsage, ToolCall, Verifying

StopReason = Literal["user", "timeout"]
_ENDS: dict[ThreadStatus, Literal["ended", "waiting", "limit", "failed", "interrupted"]] = {
    "done": "ended",
    "unverified": "ended",
    "undone": "ended",
    "waiting": "waiting",
    "limit": "limit",
    "failed": "failed",
}


class AttemptRunner(Protocol):
    """What an attempt needs of a Runner."""

    threads: ThreadIndex

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...
    def stop(self, thread_id: str = "", *, reason: StopReason) -> object: ...
    def resume(self, thread: str) -> AsyncGenerator[Event]: ...
    def task(
        self,
        request: str,
        *,
        folder: Path | str,
        options: Options | None,
        title: str,
        thread_id: str,
    ) -> AsyncGenerator[Event]: ...
    async def read_state(self, thread: str) -> tuple[State, Any]: ...


class AttemptThreads:
    """The attempts that a Runner's current run has started; each has a Runner of its own."""

    def __init__(self, open_runner: Callable[[], AttemptRunner]) -> None:
        self._open_runner = open_runner
        self._runners: set[AttemptRunner] = set()
        self._stopped: StopReason | None = None

    def stop(self, reason: StopReason) -> None:
        """Stop after the running steps."""
        self._stopped = reason
        for runner in self._runners:
            runner.stop(reason=reason)

    async def run(self, attempt: Attempt, report: ReportStep) -> AttemptEnd:
        """Run an attempt, or continue it; an attempt that has ended is not run again."""
        async with self._open_runner() as runner:
            self._runners.add(runner)
            try:
                return await self._run(runner, attempt, report)
            finally:
                self._runners.discard(runner)

    async def _run(self, runner: AttemptRunner, attempt: Attempt, report: ReportStep) -> AttemptEnd:
        row = await asyncio.to_thread(_find_row, runner, attempt.thread_id)
        status = row and _ENDS.get(row.status)
        error = ""
        if status is None:
            if self._stopped:
                return AttemptEnd("interrupted")
            try:
                last = await _read_last(_open_stream(runner, attempt, row), report)
            except MaxAgentError as failure:  # wrong input, before any step
                return AttemptEnd("failed", error=failure.message)
            if isinstance(last, Interrupted):
                return AttemptEnd("interrupted")
            error = last.message if isinstance(last, Failure) else ""
            row = await asyncio.to_thread(runner.threads.get, attempt.thread_id)
            status = _ENDS.get(row.status, "failed")
        state, _ = await runner.read_state(attempt.thread_id)
        return _build_end(state, status, error)


def _build_end(
    state: State,
    status: Literal["ended", "waiting", "limit", "failed", "interrupted"],
    error: str,
) -> AttemptEnd:
    outcome = state.get("outcome") or ""
    return AttemptEnd(
        status="ended" if outcome else status,
        outcome=outcome,
        evidence=state.get("evidence"),
        usage=state.get("usage"),
        summary=state.get("summary", ""),
        error=error,
        failure=find_failure_cause(state) if outcome == "failed" else None,
    )


def _find_row(runner: AttemptRunner, thread_id: str) -> ThreadRow | None:
    try:
        return runner.threads.get(thread_id)
    except UsageError:
        return None


def _open_stream(
    runner: AttemptRunner, attempt: Attempt, row: ThreadRow | None
) -> AsyncGenerator[Event]:
    if row:
        return runner.resume(attempt.thread_id)
    return runner.task(
        attempt.request,
        folder=attempt.folder,
        options=attempt.options,
        title=f"{attempt.title}: {attempt.request}",
        thread_id=attempt.thread_id,
    )


async def _read_last(events: AsyncGenerator[Event], report: ReportStep) -> Event | None:
    last, step = None, AttemptStep()
    async with aclosing(events) as stream:
        async for event in stream:
            last, before = event, step
            step = _follow_step(step, event)
            if step is not before:
                report(step)
    return last


def _follow_step(step: AttemptStep, event: Event) -> AttemptStep:
    """Return the step after an event; the same one if it shows nothing new."""
    match event:
        case RoleStarted(role=role):
            return AttemptStep(role, usage=step.usage)
        case Verifying():
            return AttemptStep("tests", usage=step.usage)
        case ToolCall(agent="", tool=tool, args=args):
            return dataclasses.replace(step, tool=tool, args=args)
        case TokenUsage(agent="", requests=requests, cost=cost):
            used = Usage(
                requests=requests,
                input=event.input,
                output=event.output,
                cached=event.cached,
                cost=cost,
            )
            return dataclasses.replace(step, usage=used)
        case _:
            return step
