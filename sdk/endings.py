"""How a run ends: read from the thread's state, for every door alike."""

from collections.abc import Mapping
from typing import Any, Literal, cast

from langgraph.types import StateSnapshot

from ..memory.threads import Status
from ..nodes.snapshot import span
from ..nodes.state import State
from ..nodes.workbench import Workbench
from .events import Completion, Event, Failure, Interrupted, Question

STATUS_OF_OUTCOME: dict[str, Status] = {
    "verified": "done",
    "unverified": "unverified",
    "failed": "failed",
    "undone": "undone",
}


def question(thread_id: str, state: StateSnapshot) -> Question | None:
    """What the thread waits for, if anything."""
    for interrupt in state.interrupts:
        asked = cast("Mapping[str, Any]", interrupt.value)
        return Question(
            thread_id=thread_id,
            id=interrupt.id,
            kind=_kind(asked),
            action_requests=list(asked.get("action_requests", [])),
            review_configs=list(asked.get("review_configs", [])),
        )
    return None


async def completion(thread_id: str, state: StateSnapshot, bench: Workbench) -> Completion:
    """The end of a task, with the evidence and everything that changed."""
    values = cast(State, state.values)
    base, tree = span(values)
    outcome = values.get("outcome") or "unverified"
    changed = base != tree and outcome != "undone"
    changes = await bench.snapshots.changes(base, tree) if bench.snapshots and changed else []
    return Completion(
        thread_id=thread_id,
        outcome=outcome,
        summary=values.get("summary", ""),
        evidence=values.get("evidence"),
        files=[{"path": change.path, "kind": change.kind} for change in changes],
        diff=await bench.snapshots.diff(base, tree) if bench.snapshots and changed else "",
    )


def status_after(event: Event) -> Status | None:
    """The thread's status after a stream's last event; None for any other event."""
    match event:
        case Question(kind="limit"):
            return "limit"
        case Question():
            return "waiting"
        case Completion(outcome=outcome):
            return STATUS_OF_OUTCOME[outcome]
        case Failure(exit_code=3):
            return "limit"
        case Failure():
            return "failed"
        case Interrupted():
            return "interrupted"
        case _:
            return None


def status_in(state: StateSnapshot) -> Status:
    """The thread's status as its state tells it, whoever ran it."""
    if waiting := question("", state):
        return "limit" if waiting.kind == "limit" else "waiting"
    if state.next:
        return "interrupted"
    return STATUS_OF_OUTCOME[cast(State, state.values).get("outcome") or "unverified"]


def _kind(asked: Mapping[str, Any]) -> Literal["approval", "review", "limit"]:
    if asked.get("type") == "limit":
        return "limit"
    names = {request["name"] for request in asked.get("action_requests", [])}
    return "review" if names == {"review"} else "approval"
