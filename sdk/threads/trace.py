"""The trace of a thread, from its log of requests; does not load LangGraph."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ...config import paths
from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.record import ThreadRow


@dataclass
class TraceSpan:
    """One request, or one tool call."""

    name: str
    """The model or the tool."""
    time: str
    seconds: float | None = None
    """From the request to its whole answer; from a call to its result, questions included."""
    error: str = ""
    input: int | None = None
    """Tokens of a request."""
    output: int | None = None
    cached: int | None = None
    cost: float | None = None
    messages: int = 0
    """New messages of a request."""
    hash: str = ""
    calls: list["TraceSpan"] = field(default_factory=list["TraceSpan"])
    """The tool calls of a request's answer."""


@dataclass
class AgentTrace:
    """Consecutive requests of one agent, or all of a sub-agent."""

    agent: str
    requests: list[TraceSpan] = field(default_factory=list[TraceSpan])


def read_trace(row: ThreadRow, home: Path) -> list[AgentTrace]:
    """Return the thread's requests and tool calls; raises UsageError if there is no log."""
    reader = _TraceReader()
    for line in read_log(row, home):
        reader.add_line(line)
    return reader.traces


def read_log(row: ThreadRow, home: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of the thread's log of requests; raises UsageError if there is none."""
    files = paths.find_request_logs(home, row.thread_id)
    if not files:
        raise UsageError(
            text("thread `{thread_id}` has no log of requests", thread_id=row.thread_id),
            hint="use `mcode --log`, or set `log.enabled` to true, before a run",
        )
    for file in sorted(files, key=lambda file: -_get_number(file)):
        yield from _read_lines(file)


def _get_number(file: Path) -> int:
    """Return the number of a rotated log; the newest has none."""
    suffix = file.suffix.removeprefix(".")
    return int(suffix) if suffix.isdecimal() else 0


def _read_lines(file: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the lines; half a line, as a kill leaves it, is skipped."""
    with open(file, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            try:
                fields: object = json.loads(line)
            except ValueError:
                continue
            if isinstance(fields, dict):
                yield cast("dict[str, Any]", fields)


class _TraceReader:
    """Builds the tree from the lines in their order."""

    def __init__(self) -> None:
        self.traces: list[AgentTrace] = []
        self._children: dict[str, AgentTrace] = {}
        """The traces of sub-agents, by their IDs: they work at once."""
        self._last = AgentTrace("")
        """The last trace of the thread's own agents."""
        self._open: dict[tuple[int, int], TraceSpan] = {}
        self._calls: dict[str, TraceSpan] = {}

    def add_line(self, line: Mapping[str, Any]) -> None:
        """Add one line of the log."""
        key = (line.get("pid", 0), line.get("number", 0))
        if line.get("type") == "request":
            self._open[key] = self._add_request(line)
        elif span := self._open.get(key):
            span.seconds = line.get("seconds")
            span.error = str(line.get("message", ""))
            span.cost = line.get("cost")
            self._add_usage(span, line.get("usage") or {})
        elif line.get("type") == "event":
            self._add_event(str(line.get("time", "")), line.get("event", {}))

    def _add_request(self, line: Mapping[str, Any]) -> TraceSpan:
        agent = str(line.get("agent", ""))
        trace = self._children.get(agent)
        if trace is None and (not self.traces or self.traces[-1].agent != agent):
            self._last = AgentTrace(agent)
            self.traces.append(self._last)
        span = TraceSpan(
            name=str(line.get("model", "")),
            time=str(line.get("time", "")),
            messages=len(line.get("messages", ())),
            hash=str(line.get("hash", "")),
        )
        (trace or self._last).requests.append(span)
        return span

    def _add_usage(self, span: TraceSpan, usage: Mapping[str, Any]) -> None:
        if not usage:
            return
        span.input, span.output = usage.get("input_tokens"), usage.get("output_tokens")
        details: Mapping[str, Any] = usage.get("input_token_details") or {}
        span.cached = details.get("cache_read")

    def _add_event(self, time: str, event: Mapping[str, Any]) -> None:
        identity = str(event.get("id", ""))
        caller = self._children.get(str(event.get("agent", "")), self._last)
        if event.get("type") == "subagent_started":
            self._add_child(str(event.get("sub_id", "")))
        elif event.get("type") == "tool_call" and caller.requests:
            span = TraceSpan(str(event.get("tool", "")), time)
            self._calls[identity] = span
            caller.requests[-1].calls.append(span)
        elif event.get("type") == "tool_result" and (span := self._calls.get(identity)):
            span.seconds = _measure(span.time, time)
            span.error = str(event.get("error", ""))

    def _add_child(self, sub_id: str) -> None:
        """Begin the trace of a sub-agent; one that goes on after a question has it already."""
        if sub_id not in self._children:
            self._children[sub_id] = AgentTrace(sub_id)
            self.traces.append(self._children[sub_id])


def _measure(start: str, end: str) -> float:
    between = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return round(between.total_seconds(), 3)
