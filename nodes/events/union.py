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
from dataclasses import fields
from functools import cache
from keyword import iskeyword
from typing import Any

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
from .run import Completion, Failure, Interrupted, PullRequestOpened, RunStarted
from .tool import (
    BackgroundFinished,
    BackgroundStarted,
    HookFinished,
    ToolCall,
    ToolOutput,
    ToolProgress,
    ToolResult,
)

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
    names = [field.name for field in fields(kind)]
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
