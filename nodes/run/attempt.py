"""One attempt at a task: a thread of its own, which the Runner runs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...config.text import text
from ...memory.threads.thread_id import build_attempt_thread_id
from ..options import Options
from ..state import Evidence, FailureCause, Usage

MIN_ATTEMPTS, MAX_ATTEMPTS = 2, 8


@dataclass(frozen=True)
class Attempt:
    """The input of one attempt."""

    number: int
    """From 1."""
    thread_id: str
    """Derived from the task's thread and the number, so a killed attempt is found again."""
    title: str
    request: str
    folder: str
    """Its worktree."""
    options: Options

    @property
    def model(self) -> str:
        """The model chosen for it; empty: the configured one."""
        return self.options.get("model", "")


@dataclass(frozen=True)
class AttemptStep:
    """What an attempt does now."""

    role: str = ""
    """The role that acts; `tests` while they run."""
    tool: str = ""
    """Its last call; empty: it has made none yet."""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    usage: Usage | None = None
    """Totals of its thread; None: no request was answered."""


@dataclass(frozen=True)
class AttemptEnd:
    """How the thread of an attempt ended."""

    status: Literal["ended", "interrupted", "waiting", "limit", "failed"]
    outcome: str = ""
    """As the task's; empty unless it ended."""
    evidence: Evidence | None = None
    usage: Usage | None = None
    summary: str = ""
    error: str = ""
    """Why it failed, as a message."""
    failure: FailureCause | None = None
    """What the outcome `failed` is due to; None: another outcome."""


ReportStep = Callable[[AttemptStep], None]
# Runs an attempt to its end, or continues an interrupted one, and reports its steps; its errors
# are in the result. An attempt that has ended is not run again.
RunAttempt = Callable[[Attempt, ReportStep], Awaitable[AttemptEnd]]


def build_attempts(
    thread_id: str, request: str, options: Options, folders: Mapping[int, str]
) -> list[Attempt]:
    """Build the attempts of a task; `folders` are their worktrees, by number.

    The cost limit is divided among them.
    """
    models, count = options.get("models", []), len(folders)
    shared: Options = {**options, "apply": True}
    for name in ("best_of", "models", "pr"):
        shared.pop(name, None)
    if limit := options.get("max_cost"):
        shared["max_cost"] = limit / count
    return [
        Attempt(
            number=number,
            thread_id=build_attempt_thread_id(thread_id, number),
            title=text("attempt {number} of {count}", number=number, count=count),
            request=request,
            folder=folder,
            options={**shared, "model": models[(number - 1) % len(models)]} if models else shared,
        )
        for number, folder in sorted(folders.items())
    ]


def build_attempt_key(number: int) -> str:
    """Return the key of an attempt's worktree, and of its merge."""
    return f"attempt-{number}"
