"""The events of a run: a closed union of small dataclasses. Names and fields stay; only add.

The terminal, JSON lines, web and ACP render this one stream. A run's stream begins with
`run_started` and ends with exactly one of `question`, `completion`, `interrupted` and `error`.

A new event takes:

- a dataclass in `nodes/events/<part>.py`, from `AgentEvent` if a sub-agent can send it; its
  import and its name in `__all__` and in the union `Event` below
- a node sends it by `emit(runtime, …)`
- a row in `docs/events.md`
- a run in `tests/e2e/test_event_schema.py`, or a test of its own: then list it in `elsewhere`
  there
- `make docs`
- if people see it: a method in `cli/rendering/text_renderer.py`, which conversations
  and single messages use, too (what they do not show: `SILENT_EVENTS` in
  `cli/repl/session/turn_renderer.py`)
- its words in `cli/rendering/event_text.py`, their keys in both `mcode.po`
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from keyword import iskeyword
from typing import Any, ClassVar, Literal

from .agent import AgentEvent, AttemptProgress, AttemptsCompared, SubagentFinished, SubagentStarted
from .context import CacheReset, CardProposed, CompactionFinished, CompactionStarted, MemoryShown
from .model import ModelChanged, Output, Retrying, RoleStarted, Thinking, TokenUsage
from .progress import (
    EvidenceFound,
    FilesChanged,
    Mentioned,
    ModeChanged,
    Notice,
    Plan,
    PlanResponse,
    Progress,
    Repair,
    Steered,
    Todos,
    Verifying,
)
from .question import Question
from .tool import (
    BackgroundFinished,
    BackgroundStarted,
    HookFinished,
    ToolCall,
    ToolOutput,
    ToolProgress,
    ToolResult,
)


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


__all__ = (
    "AttemptProgress",
    "AttemptsCompared",
    "BackgroundFinished",
    "BackgroundStarted",
    "CacheReset",
    "CardProposed",
    "CompactionFinished",
    "CompactionStarted",
    "Completion",
    "Event",
    "EvidenceFound",
    "Failure",
    "FilesChanged",
    "HookFinished",
    "Interrupted",
    "KINDS",
    "MemoryShown",
    "Mentioned",
    "ModeChanged",
    "ModelChanged",
    "Notice",
    "Output",
    "Plan",
    "PlanResponse",
    "Progress",
    "PullRequestOpened",
    "Question",
    "Repair",
    "Retrying",
    "RoleStarted",
    "RunStarted",
    "Steered",
    "SubagentFinished",
    "SubagentStarted",
    "Thinking",
    "Todos",
    "TokenUsage",
    "ToolCall",
    "ToolOutput",
    "ToolProgress",
    "ToolResult",
    "Verifying",
    "as_json",
    "is_from_subagent",
    "list_questions",
    "parse_event",
)

Event = (
    RunStarted
    | RoleStarted
    | ModeChanged
    | Mentioned
    | Steered
    | MemoryShown
    | CardProposed
    | Thinking
    | Output
    | Retrying
    | ModelChanged
    | TokenUsage
    | Plan
    | PlanResponse
    | ToolCall
    | ToolOutput
    | ToolProgress
    | ToolResult
    | HookFinished
    | BackgroundStarted
    | BackgroundFinished
    | SubagentStarted
    | SubagentFinished
    | Todos
    | FilesChanged
    | Verifying
    | EvidenceFound
    | Repair
    | AttemptProgress
    | AttemptsCompared
    | Progress
    | CompactionStarted
    | CompactionFinished
    | CacheReset
    | Notice
    | PullRequestOpened
    | Question
    | Completion
    | Interrupted
    | Failure
)
KINDS: dict[str, type[Event]] = {kind.type: kind for kind in Event.__args__}


def list_questions(first: Question | None) -> list[Question]:
    """Return all open questions by the event that a run ended with; none without one."""
    return [first, *(Question(**other) for other in first.others)] if first else []


def is_from_subagent(event: Event) -> bool:
    """Return whether a sub-agent has emitted the event."""
    return isinstance(event, AgentEvent) and bool(event.agent)


def parse_event(data: Mapping[str, Any]) -> Event:
    """Return the event that a node emitted; raise KeyError or TypeError if it is unknown."""
    values = {f"{name}_" if iskeyword(name) else name: data[name] for name in data}
    return KINDS[values.pop("type")](**values)


def as_json(event: Event) -> dict[str, Any]:
    """Return the event as JSON, its `type` first; its lists and objects are not copied."""
    values = {key: getattr(event, name) for name, key in _list_keys(type(event))}
    return {"type": event.type, **values}


@cache
def _list_keys(kind: type[Event]) -> list[tuple[str, str]]:
    """Return the names of the fields, each with its key in JSON; the sub-agent's ID comes last."""
    names = [attribute.name for attribute in fields(kind)]
    if issubclass(kind, AgentEvent):
        names = [*(name for name in names if name != "agent"), "agent"]
    return [(name, name.removesuffix("_")) for name in names]


def build_usage(totals: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a thread's totals under the names of the last event's `usage`."""
    used = totals or {}
    return {
        "prompt": used.get("input", 0),
        "completion": used.get("output", 0),
        "total": used.get("input", 0) + used.get("output", 0),
        "cached": used.get("cached", 0),
        "cost": used.get("cost", 0.0),
        "seconds": round(used.get("seconds", 0.0), 3),
        "requests": used.get("requests", 0),
    }
