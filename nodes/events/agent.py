"""Events of sub-agents and attempts, and what all events of a sub-agent have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

ReportStatus = Literal["done", "partial", "failed"]
AttemptStatus = Literal["running", "ended", "interrupted", "waiting", "limit", "failed"]


@dataclass(frozen=True, kw_only=True)
class AgentEvent:
    """An event of the thread's own agent or of a sub-agent."""

    agent: str = ""
    """ID of the sub-agent; empty: the thread's own."""


@dataclass(frozen=True)
class SubagentStarted:
    """A sub-agent begins its work, or goes on with it in this run."""

    type: ClassVar[Literal["subagent_started"]] = "subagent_started"
    sub_id: str
    """`AGENT-N`, such as `explore-1`."""
    agent: str
    """The profile that was sent."""
    task: str
    call_id: str = ""
    """The tool call that has sent it."""


@dataclass(frozen=True)
class SubagentFinished:
    """A sub-agent has reported."""

    type: ClassVar[Literal["subagent_finished"]] = "subagent_finished"
    sub_id: str
    status: ReportStatus
    """`partial`: a limit stopped it; `failed`: its model did not answer."""
    report: str
    """The beginning of its report."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`requests`, `input`, `output`, `cached`, `cost` and `seconds` of the sub-agent alone."""
    files: list[str] = field(default_factory=list[str])
    """The files that it changed."""


@dataclass(frozen=True)
class AttemptProgress:
    """What one of several attempts at the task does now, or that it has ended."""

    type: ClassVar[Literal["attempt_progress"]] = "attempt_progress"
    number: int
    thread_id: str
    model: str
    """The model that was named for it; empty: the configured one."""
    status: AttemptStatus
    role: str = ""
    """The role that acts; `tests` while they run; empty: it has ended, or not begun."""
    tool: str = ""
    """Its last call in that role; empty: it has made none yet."""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The short arguments of that call."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`requests`, `input`, `output`, `cached` and `cost` of the attempt so far; empty: nothing."""


@dataclass(frozen=True)
class AttemptsCompared:
    """All attempts at the task have ended."""

    type: ClassVar[Literal["attempts"]] = "attempts"
    attempts: list[Mapping[str, Any]]
    """Each with `number`, `thread_id`, `model`, `outcome`, `kept`, `reason` (why it is kept, or why
    not), `lines` (of its change), `tests_changed`, `usage`, and `passed` and `failed` where tests
    ran."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of all: `requests`, `input`, `output`, `cached`, `cost` and `seconds`."""
