"""The events of a run, passed on while its spans and metrics are sent.

A receiver that fails or is slow never stops a run: it is told once, at its end.
"""

import asyncio
import json
import os
import secrets
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...config.settings.traces import OtelSection
from ...config.text import text
from ..events import (
    CompactionFinished,
    Completion,
    Event,
    Failure,
    ModelChanged,
    Notice,
    Output,
    Question,
    RunStarted,
    SubagentFinished,
    SubagentStarted,
    TokenUsage,
    ToolCall,
    ToolResult,
)
from .otlp import (
    SECOND_BOUNDS,
    TOKEN_BOUNDS,
    Attributes,
    Histogram,
    Json,
    OtlpSpan,
    build_metric_request,
    build_sum,
    build_trace_request,
)

if TYPE_CHECKING:
    import httpx2


# Characters of one text that is sent as content
MAX_CONTENT = 20_000
_NANO = 1_000_000_000


class RunRecorder:
    """Turns the events of a run into ended spans, and sums up its metrics."""

    def __init__(self, graph: str, *, content: bool) -> None:
        self._content = content
        self.trace_id = secrets.token_hex(16)
        self.start = time.time_ns()
        self.ended: list[OtlpSpan] = []
        """Ended spans that nobody has taken yet."""
        self._root = self._open(f"invoke_agent {graph}", "", "invoke_agent")
        self._root.attributes["gen_ai.agent.name"] = graph
        self._children: dict[str, OtlpSpan] = {}
        self._calls: dict[str, OtlpSpan] = {}
        self._texts: dict[str, str] = {}
        self._provider, self._model = "", ""
        self._histograms: dict[str, Histogram] = {}
        self._cost = 0.0

    def add(self, event: Event) -> None:
        """Take one event."""
        if isinstance(event, RunStarted):
            self._name_model(event.model)
            self._root.attributes |= {
                "gen_ai.conversation.id": event.thread_id,
                "gen_ai.request.model": self._model,
                "gen_ai.provider.name": self._provider,
                "maxagent.mode": event.mode,
            }
        elif isinstance(event, ModelChanged):
            self._name_model(event.to)
        elif isinstance(event, Output) and self._content:
            self._texts[event.agent] = self._texts.get(event.agent, "") + event.text
        elif isinstance(event, TokenUsage):
            self._add_request(event)
        elif isinstance(event, ToolCall):
            self._begin_call(event)
        elif isinstance(event, ToolResult):
            self._end_call(event)
        elif isinstance(event, SubagentStarted):
            self._begin_child(event)
        elif isinstance(event, SubagentFinished):
            self._end_child(event)
        elif isinstance(event, CompactionFinished):
            span = self._open("compact", self._find_parent(event.agent), "compact")
            span.attributes |= {"maxagent.tokens.before": event.before}
            span.attributes |= {"maxagent.tokens.after": event.after}
            self._end(span)
        elif isinstance(event, Failure):
            self._root.error = event.message
        elif isinstance(event, Completion):
            self._root.attributes["maxagent.outcome"] = event.outcome

    def finish(self, error: str = "") -> None:
        """End the run, and what is still open in it."""
        for span in (*self._calls.values(), *self._children.values()):
            span.attributes["maxagent.unfinished"] = True
            self._end(span)
        self._calls, self._children = {}, {}
        if error:
            self._root.error = error
        self._end(self._root)

    def take_spans(self) -> list[OtlpSpan]:
        """Return the ended spans, each once."""
        spans, self.ended = self.ended, []
        return spans

    def build_metrics(self) -> list[Json]:
        """Return the metrics of the run."""
        now = time.time_ns()
        metrics = [histogram.to_json(self.start, now) for histogram in self._histograms.values()]
        if self._cost:
            metrics.append(build_sum("maxagent.cost", "USD", self._cost, self.start, now))
        return metrics

    def _name_model(self, name: str) -> None:
        self._provider, _, model = name.partition("/")
        self._model = model or name

    def _open(self, name: str, parent: str, operation: str, start: int = 0) -> OtlpSpan:
        span = OtlpSpan(name, secrets.token_hex(8), parent, start or time.time_ns())
        span.attributes["gen_ai.operation.name"] = operation
        return span

    def _end(self, span: OtlpSpan) -> None:
        span.end = time.time_ns()
        self.ended.append(span)

    def _find_parent(self, agent: str) -> str:
        return self._children.get(agent, self._root).span_id

    def _add_request(self, event: TokenUsage) -> None:
        request = event.request
        seconds = float(request.get("seconds") or 0.0)
        start = time.time_ns() - int(seconds * _NANO)
        span = self._open(
            " ".join(("chat", self._model)), self._find_parent(event.agent), "chat", start
        )
        span.is_client = True
        span.attributes |= {
            "gen_ai.provider.name": self._provider,
            "gen_ai.request.model": self._model,
            "gen_ai.usage.input_tokens": int(request.get("input") or 0),
            "gen_ai.usage.output_tokens": int(request.get("output") or 0),
            "gen_ai.usage.cache_read.input_tokens": int(request.get("cached") or 0),
        }
        if (cost := request.get("cost")) is not None:
            span.attributes["maxagent.cost"] = float(cost)
            self._cost += float(cost)
        if answer := self._texts.pop(event.agent, ""):
            parts = [{"type": "text", "content": answer[:MAX_CONTENT]}]
            message = [{"role": "assistant", "parts": parts}]
            span.attributes["gen_ai.output.messages"] = json.dumps(message)
        self._end(span)
        for kind in ("input", "output"):
            self._measure_tokens(kind, int(request.get(kind) or 0))
        self._measure("gen_ai.client.operation.duration", "s", "chat", seconds)

    def _begin_call(self, event: ToolCall) -> None:
        parent = self._find_parent(event.agent)
        span = self._open(f"execute_tool {event.tool}", parent, "execute_tool")
        span.attributes |= {"gen_ai.tool.name": event.tool, "gen_ai.tool.call.id": event.id}
        self._add_content(span, "gen_ai.tool.call.arguments", event.args)
        self._calls[f"{event.agent} {event.id}"] = span

    def _end_call(self, event: ToolResult) -> None:
        span = self._calls.pop(f"{event.agent} {event.id}", None)
        if span is None:  # asked about in an earlier run
            parent = self._find_parent(event.agent)
            span = self._open(f"execute_tool {event.tool}", parent, "execute_tool")
            span.attributes |= {"gen_ai.tool.name": event.tool, "gen_ai.tool.call.id": event.id}
        if not event.ok:
            span.error = event.error if self._content else ""
            span.attributes["error.type"] = "tool_error"
        self._add_content(span, "gen_ai.tool.call.result", event.output)
        seconds = (time.time_ns() - span.start) / _NANO
        self._measure("gen_ai.client.operation.duration", "s", "execute_tool", seconds)
        self._end(span)

    def _begin_child(self, event: SubagentStarted) -> None:
        calls = [self._calls[key] for key in self._calls if key.endswith(f" {event.call_id}")]
        parent = calls[0] if calls and event.call_id else self._root  # sent in an earlier run
        span = self._open(f"invoke_agent {event.agent}", parent.span_id, "invoke_agent")
        span.attributes |= {"gen_ai.agent.name": event.agent, "gen_ai.agent.id": event.sub_id}
        self._add_content(span, "maxagent.task", event.task)
        self._children[event.sub_id] = span

    def _end_child(self, event: SubagentFinished) -> None:
        if span := self._children.pop(event.sub_id, None):
            span.attributes["maxagent.outcome"] = event.status
            self._end(span)

    def _add_content(self, span: OtlpSpan, name: str, content: object) -> None:
        if self._content:
            value = content if isinstance(content, str) else json.dumps(content, default=str)
            span.attributes[name] = value[:MAX_CONTENT]

    def _measure_tokens(self, kind: str, count: int) -> None:
        name = "gen_ai.client.token.usage"
        attributes = self._build_attributes("chat") | {"gen_ai.token.type": kind}
        self._observe(f"{name} {kind}", Histogram(name, "{token}", TOKEN_BOUNDS, attributes), count)

    def _measure(self, name: str, unit: str, operation: str, value: float) -> None:
        attributes = self._build_attributes(operation)
        histogram = Histogram(name, unit, SECOND_BOUNDS, attributes)
        self._observe(f"{name} {operation}", histogram, value)

    def _observe(self, key: str, histogram: Histogram, value: float) -> None:
        key = f"{key} {self._provider}/{self._model}"
        self._histograms.setdefault(key, histogram).values.append(value)

    def _build_attributes(self, operation: str) -> dict[str, Any]:
        attributes: Mapping[str, str] = {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": self._provider,
            "gen_ai.request.model": self._model,
        }
        return dict(attributes)


# Seconds between two batches, and for the last one
PAUSE = 2.0
LAST_SECONDS = 5.0
NOT_SENT = "traces could not be sent to `{endpoint}`: {reason}"


async def trace_events(
    events: AsyncGenerator[Event], section: OtelSection, graph: str
) -> AsyncGenerator[Event]:
    """Yield the events, and send what they mean to the receiver."""
    recorder = RunRecorder(graph, content=section.content)
    sender = OtlpSender(section)
    is_finished = False
    try:
        async with aclosing(events):
            async for event in events:
                recorder.add(event)
                if isinstance(event, Completion | Question):
                    is_finished = True
                    await sender.finish(recorder)
                    if sender.problem:
                        yield Notice(sender.describe_problem())
                else:
                    sender.send_if_due(recorder)
                yield event
    finally:
        if not is_finished:
            await asyncio.shield(sender.finish(recorder, error="interrupted"))


class OtlpSender:
    """Sends batches to one receiver, one at a time."""

    def __init__(self, section: OtelSection) -> None:
        self._section = section
        self._resource: Attributes = {
            "service.name": "maxagent",
            "service.version": __version__,
            "process.pid": os.getpid(),
        }
        self._due = time.monotonic() + PAUSE
        self._task: asyncio.Task[None] | None = None
        self.problem = ""
        """Why something was not sent; empty: all was."""

    def describe_problem(self) -> str:
        """Return a notice about what was not sent."""
        endpoint = self._section.endpoint.partition("?")[0].rpartition("@")[2]
        return text(NOT_SENT, endpoint=endpoint, reason=self.problem)

    def send_if_due(self, recorder: RunRecorder) -> None:
        """Begin to send the ended spans, at most once in a while."""
        is_busy = self._task is not None and not self._task.done()
        if is_busy or not recorder.ended or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + PAUSE
        body = build_trace_request(recorder.take_spans(), recorder.trace_id, self._resource)
        self._task = asyncio.create_task(self._send([("traces", body)]))

    async def finish(self, recorder: RunRecorder, error: str = "") -> None:
        """Send the rest."""
        recorder.finish(error)
        try:
            async with asyncio.timeout(LAST_SECONDS):
                if self._task:
                    await self._task
                spans = recorder.take_spans()
                traces = build_trace_request(spans, recorder.trace_id, self._resource)
                metrics = build_metric_request(recorder.build_metrics(), self._resource)
                await self._send([("traces", traces), ("metrics", metrics)])
        except TimeoutError:
            self.problem = text("it did not answer in {seconds} s", seconds=f"{LAST_SECONDS:g}")

    async def _send(self, bodies: list[tuple[str, Json]]) -> None:
        import httpx2

        from ...config.network.client import open_client
        from ...config.network.response_limits import ResponseLimits

        headers = {"Content-Type": "application/json", **self._section.headers}
        try:
            async with open_client(ResponseLimits(100_000), headers=headers) as client:
                for signal, body in bodies:
                    url = f"{self._section.endpoint.rstrip('/')}/v1/{signal}"
                    content = json.dumps(body).encode(errors="backslashreplace")
                    self._check(await client.post(url, content=content))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            self.problem = str(error) or type(error).__name__

    def _check(self, response: "httpx2.Response") -> None:
        if response.status_code >= 300:
            self.problem = text("it answered {status}", status=response.status_code)
