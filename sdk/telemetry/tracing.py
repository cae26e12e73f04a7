"""The events of a run, passed on while its spans and metrics are sent.

A receiver that fails or is slow never stops a run: it is told once, at its end.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from ... import __version__
from ...config.settings.traces import OtelSection
from ...config.text import text
from ..events import Completion, Event, Notice, Question
from .otlp import Attributes, Json, build_metric_request, build_trace_request
from .recorder import RunRecorder

if TYPE_CHECKING:
    import httpx2

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
