"""Events of tool calls, of the hooks around them, and of commands in the background."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from .agent import AgentEvent

HookOutcome = Literal["passed", "refused", "asked", "failed"]


@dataclass(frozen=True)
class ToolCall(AgentEvent):
    """The model calls a tool; the decision whether it runs comes next."""

    type: ClassVar[Literal["tool_call"]] = "tool_call"
    id: str
    tool: str
    args: Mapping[str, Any]
    role: str


@dataclass(frozen=True)
class ToolOutput(AgentEvent):
    """A piece of a running tool's output; id `verify` is the graph's own test run."""

    type: ClassVar[Literal["tool_output"]] = "tool_output"
    id: str
    text: str


@dataclass(frozen=True)
class ToolProgress(AgentEvent):
    """How far a running tool of an MCP server is."""

    type: ClassVar[Literal["tool_progress"]] = "tool_progress"
    id: str
    progress: float
    total: float | None = None
    """None: the server does not say."""
    message: str = ""
    """What it does, in the server's words."""


@dataclass(frozen=True)
class ToolResult(AgentEvent):
    """A tool call's result, or why it did not run."""

    type: ClassVar[Literal["tool_result"]] = "tool_result"
    id: str
    tool: str
    ok: bool
    output: str
    error: str
    metadata: Mapping[str, Any]
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The arguments of the call; after a resume the reader may not have seen the call."""


@dataclass(frozen=True)
class HookFinished(AgentEvent):
    """A hook has run; a failure has a `notice`, too."""

    type: ClassVar[Literal["hook"]] = "hook"
    event: Literal["before_tool", "after_tool", "on_stop", "on_session_start"]
    command: str
    outcome: HookOutcome
    """`refused`: exit code 2 or its like: a call does not run, a turn goes on."""
    tool: str = ""
    """The tool that the model has called; empty: it is about no call."""
    reason: str = ""
    """Why it refused, asks or has failed."""


@dataclass(frozen=True)
class BackgroundStarted:
    """A command runs in the background: it goes on after its call, at most until MaxAgent ends."""

    type: ClassVar[Literal["background_started"]] = "background_started"
    id: str
    """ID of the call that started it."""
    command: str
    confined: bool
    """Whether it runs in the sandbox."""


@dataclass(frozen=True)
class BackgroundFinished:
    """A background command has ended, perhaps before this run began."""

    type: ClassVar[Literal["background_finished"]] = "background_finished"
    id: str
    command: str
    exit_code: int | None
    """None if it was killed."""
    killed: bool
    """Whether the model or the user has ended it."""
