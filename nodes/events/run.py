"""Events of a run: its start, its ends, and its pull request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal


@dataclass(frozen=True)
class RunStarted:
    """A run starts or continues."""

    type: ClassVar[Literal["run_started"]] = "run_started"
    thread_id: str
    title: str
    folder: str
    model: str
    mode: str
    resumed: bool
    sandbox: str = ""
    """What confines commands, and whether they have a network; or `none: ` and the reason."""
    thinking: str = ""
    """When the model thinks: `auto`, `enabled` or `disabled`."""
    effort: str = ""
    """How much it thinks: `auto`, `low`, `medium`, `high` or `max`."""


@dataclass(frozen=True)
class Completion:
    """The job has ended; last event of the stream."""

    type: ClassVar[Literal["completion"]] = "completion"
    thread_id: str
    outcome: Literal["verified", "unverified", "failed", "undone", "answered"]
    summary: str
    evidence: Mapping[str, Any] | None
    files: list[Mapping[str, str]]
    diff: str
    graph: str = "task"
    """The graph: `task`; `edit`, which runs no tests; `chat`, whose summary is the answer."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of the thread: `prompt`, `completion`, `total` and `cached` tokens, `cost` in US
    dollars (None: unknown), `seconds` and number of the answered `requests`."""
    pull_request: Mapping[str, Any] | None = None
    """`url`, `branch` and `number` of the thread's pull request; None: there is none."""
    reason: str = ""
    """Why the outcome is another one than the evidence says; empty: it is not, or was undone."""


@dataclass(frozen=True)
class Interrupted:
    """The run was stopped; `resume` continues the thread; last event of the stream."""

    type: ClassVar[Literal["interrupted"]] = "interrupted"
    thread_id: str
    reason: Literal["user", "timeout"] = "user"
    """Who stopped it: the user, or the time limit of this run."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of the thread, as in `completion`; empty: it stopped before they were read."""


@dataclass(frozen=True)
class Failure:
    """The run failed; the thread is kept; last event of the stream."""

    type: ClassVar[Literal["error"]] = "error"
    message: str
    hint: str
    exit_code: int
    thread_id: str = field(default="")


@dataclass(frozen=True)
class PullRequestOpened:
    """The changes are pushed, and a pull request is open for them."""

    type: ClassVar[Literal["pull_request"]] = "pull_request"
    url: str
    branch: str
    number: int
