"""Events as messages for other programs, such as a web page: each with a path and its run."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict
from uuid import uuid4

from ..events import Event, RunStarted, TokenUsage, as_json

ROOT = "/agent/edit"
# Paths that are not the event's type
PATHS = {
    "run_started": "conversation_id",
    "tool_call": "tool/call",
    "tool_result": "tool/result",
    "files_changed": "apply_changes",
    "plan_response": "plan",
}


class MessageMeta(TypedDict):
    """Where a message belongs."""

    thread_id: str
    run_id: str
    """Of the run: from `run_started` to its last event."""
    seq: int
    """Its number, from 1: in the run, or in the thread where a stream can be gone on with."""
    time: str
    """ISO 8601, UTC."""


class EventMessage(TypedDict):
    """One event; `data` has its fields, which docs/events.md describes."""

    path: str
    type: str
    data: Mapping[str, Any]
    meta: MessageMeta


class EventMessages:
    """Builds the messages of one stream of events, of one run after another."""

    def __init__(self, thread_id: str = "", take_number: Callable[[], int] | None = None) -> None:
        """`take_number` returns the number of the next message; by default each run counts."""
        self._thread_id, self._take_number = thread_id, take_number
        self._begin_run()

    def build(self, event: Event) -> Iterator[EventMessage]:
        """Yield the messages of an event: one, and a second with the window after a request."""
        if isinstance(event, RunStarted):
            self._begin_run()
            self._thread_id = event.thread_id
        data = as_json(event)
        kind: str = data.pop("type")
        yield self.build_message(kind, data)
        if isinstance(event, TokenUsage):
            names = ("window", "context_length", "agent")
            yield self.build_message("window_length", {name: data[name] for name in names})

    def _begin_run(self) -> None:
        self._run_id, self._count = uuid4().hex, 0

    def build_message(self, kind: str, data: Mapping[str, Any]) -> EventMessage:
        """Return a message of its own, such as what a user has said to this run."""
        self._count += 1
        meta = MessageMeta(
            thread_id=self._thread_id,
            run_id=self._run_id,
            seq=self._take_number() if self._take_number else self._count,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        path = f"{ROOT}/{PATHS.get(kind, kind)}"
        return EventMessage(path=path, type=kind, data=data, meta=meta)
