"""The sub-agents and attempts that work now, a moving line each: step, last call, tokens."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ....sdk import events as ev
from ...i18n.catalogs import t
from ..humanize import format_duration
from ..sanitize import sanitize_line
from ..tool_summary import format_call

# Last calls of a child that are kept to be shown
MAX_CALLS = 8
# Characters of a call in a line
CALL_WIDTH = 60


@dataclass
class _RunningChild:
    """What is known of a child from its events."""

    started: float
    task: str = ""
    role: str = ""
    """Of an attempt: the role that acts."""
    requests: int = 0
    tokens: int = 0
    calls: deque[str] = field(default_factory=lambda: deque[str](maxlen=MAX_CALLS))


class RunningChildren:
    """Follows the events of a run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._children: dict[str, _RunningChild] = {}

    def __bool__(self) -> bool:
        """Whether any child works."""
        return bool(self._children)

    def track_event(self, event: ev.Event) -> None:
        """Take in one event, of whichever agent."""
        match event:
            case ev.SubagentStarted(sub_id=sub_id, task=task):
                self._find(sub_id).task = sanitize_line(" ".join(task.split()))
            case ev.SubagentFinished(sub_id=sub_id):
                self._children.pop(sub_id, None)
            # one that goes on after a question is not announced again
            case ev.TokenUsage(agent=agent) if agent:
                child = self._find(agent)
                child.requests, child.tokens = event.requests, event.input + event.output
            case ev.ToolCall(agent=agent) if agent:
                call = sanitize_line(format_call(event.tool, event.args, CALL_WIDTH))
                self._find(agent).calls.append(call)
            case ev.AttemptProgress():
                self._track_attempt(event)
            case ev.Completion() | ev.Interrupted() | ev.Failure():
                self._children.clear()
            case _:
                pass

    def _track_attempt(self, event: ev.AttemptProgress) -> None:
        name = t("attempt.name", number=event.number)
        if event.status != "running":
            self._children.pop(name, None)
            return
        child, usage = self._find(name), event.usage
        role = t(f"role.{event.role}") if event.role else ""
        if role != child.role:
            child.role = role
            child.calls.clear()
        child.requests = usage.get("requests", 0)
        child.tokens = usage.get("input", 0) + usage.get("output", 0)
        if event.tool:
            child.calls.append(sanitize_line(format_call(event.tool, event.args, CALL_WIDTH)))

    def _find(self, sub_id: str) -> _RunningChild:
        return self._children.setdefault(sub_id, _RunningChild(self._clock()))

    def format_lines(self) -> list[str]:
        """Return one line for each child that works."""
        return [f"  ⋯ {' · '.join(self._describe(*item))}" for item in self._children.items()]

    def format_details(self) -> list[str]:
        """Return each child with its task and its last calls."""
        lines: list[str] = []
        for sub_id, child in self._children.items():
            lines.append(f"  {' · '.join(self._describe(sub_id, child))}")
            lines += [f"      {child.task}"] if child.task else []
            lines += [f"      ▸ {call}" for call in child.calls]
        return lines

    def _describe(self, sub_id: str, child: _RunningChild) -> list[str]:
        tokens = f"{child.tokens:,}"
        return [
            sanitize_line(sub_id),
            *([child.role] if child.role else []),
            t("child.step", count=child.requests + 1),
            child.calls[-1] if child.calls else t("child.begins"),
            *([t("child.tokens", count=tokens)] if child.tokens else []),
            format_duration(self._clock() - child.started),
        ]
