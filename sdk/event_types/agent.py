"""Events of sub-agents, and what all events that one may emit have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class AgentEvent:
    """An event of the thread's own agent or of a sub-agent."""

    agent: str = ""
    """ID of the sub-agent; empty: the thread's own."""


@dataclass(frozen=True)
class SubagentStarted:
    """A sub-agent begins its work, or goes on with it in this run."""

    type: ClassVar[str] = "subagent_started"
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

    type: ClassVar[str] = "subagent_finished"
    sub_id: str
    status: Literal["done", "partial", "failed"]
    """`partial`: a limit stopped it; `failed`: its model did not answer."""
    report: str
    """The beginning of its report."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`requests`, `input`, `output`, `cached`, `cost` and `seconds` of the sub-agent alone."""
    files: list[str] = field(default_factory=list[str])
    """The files that it changed."""
