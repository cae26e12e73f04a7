"""Events about several attempts at one task."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal


@dataclass(frozen=True)
class AttemptProgress:
    """What one of several attempts at the task does now, or that it has ended."""

    type: ClassVar[str] = "attempt_progress"
    number: int
    thread_id: str
    model: str
    """The model that was named for it; empty: the configured one."""
    status: Literal["running", "ended", "interrupted", "waiting", "limit", "failed"]
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

    type: ClassVar[str] = "attempts"
    attempts: list[Mapping[str, Any]]
    """Each with `number`, `thread_id`, `model`, `outcome`, `kept`, `reason` (why it is kept, or why
    not), `lines` (of its change), `tests_changed`, `usage`, and `passed` and `failed` where tests
    ran."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of all: `requests`, `input`, `output`, `cached`, `cost` and `seconds`."""
