"""The runs of a Runner that are under way, each with its own stop and time limit."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from langgraph.runtime import RunControl

from ...config.errors import UsageError
from ...config.text import text
from ..attempts import AttemptThreads, StopReason


@dataclass(eq=False)
class ActiveRun:
    """A run from the request for its first event to its last one."""

    attempts: AttemptThreads
    deadline: float
    """When its time is up, by `time.monotonic()`; 0: no limit."""
    control: RunControl = field(default_factory=RunControl)
    thread_id: str = ""
    """Empty until the thread is found."""
    name: str = ""

    def stop(self, reason: StopReason) -> None:
        """Let the running step finish."""
        self.control.request_drain(reason)
        self.attempts.stop(reason)

    @property
    def is_stopping(self) -> bool:
        """Return whether it was stopped."""
        return self.control.drain_requested

    def matches(self, thread: str) -> bool:
        """Return whether the text is the ID of its thread, the beginning of it, or the name."""
        return thread == self.name or bool(self.thread_id) and self.thread_id.startswith(thread)


class ActiveRuns:
    """The runs of one Runner that are under way, and the last one that has ended."""

    def __init__(self) -> None:
        self._runs: list[ActiveRun] = []
        self._last: ActiveRun | None = None
        self._was_stopped_idle = False
        """Whether a stop came after the last run had ended: nobody is to go on then."""

    def begin(self, run: ActiveRun) -> None:
        """Add a run."""
        self._runs.append(run)
        self._was_stopped_idle = False

    def end(self, run: ActiveRun) -> None:
        """Remove a run."""
        self._runs.remove(run)
        self._last = run

    def find(self, thread: str = "") -> ActiveRun | None:
        """Return the run of a thread, or the only one; None if it does not run here.

        Raises UsageError if several runs could be meant.
        """
        runs = [run for run in self._runs if not thread or run.matches(thread)]
        if len(runs) > 1:
            raise _build_several_error(runs)
        return runs[0] if runs else None

    def stop(self, thread: str, reason: StopReason) -> bool:
        """Stop the run of a thread, or the only one; return False if nothing runs."""
        run = self.find(thread)
        if run:
            run.stop(reason)
        self._was_stopped_idle = run is None and not thread
        return run is not None

    def is_stopping(self, thread: str) -> bool:
        """Return whether the run of a thread, or the only or the last one, was stopped."""
        if not thread and self._was_stopped_idle:
            return True
        run = self.find(thread)
        if run is None and self._last and (not thread or self._last.matches(thread)):
            run = self._last
        return run is not None and run.is_stopping


def compute_deadline(time_limit: float | None, deadline: float) -> float:
    """Return when a run's time is up; raises UsageError for a limit that is no time."""
    if time_limit is None:
        return deadline
    if not 0 < time_limit < inf:
        raise UsageError(
            text("`{limit}` is no time limit", limit=time_limit),
            hint="give the seconds that the run may take",
        )
    run_deadline = time.monotonic() + time_limit
    return min(run_deadline, deadline) if deadline else run_deadline


def _build_several_error(runs: Sequence[ActiveRun]) -> UsageError:
    threads = ", ".join(f"`{run.thread_id[:8] or '?'}`" for run in runs)
    return UsageError(
        text("several threads run: {threads}", threads=threads),
        hint="name the one that you mean by its `thread_id`",
    )
