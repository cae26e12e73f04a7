"""How a run ends: read from the thread's state, for every door alike."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, cast

from langgraph.types import StateSnapshot

from ..config.security.redaction import redacted
from ..memory.threads.record import STATUS_OF_OUTCOME, Status
from ..memory.undo.change_chains import net_changes, net_diff
from ..memory.undo.undo_stack import active
from ..nodes.agent.dependencies import Workbench
from ..nodes.agent.message_history import CHAT, final_words
from ..nodes.state import State
from ..tools.builtin.session.plan_mode import LEADS_TO
from .events import Completion, Event, Failure, Interrupted, Question


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
            description=str(asked.get("description", "")),
        )
    return None


async def completion(
    thread_id: str, state: StateSnapshot, bench: Workbench, graph: str
) -> Completion:
    """The end of a job, with the evidence and everything that changed."""
    values = cast(State, state.values)
    entries = await asyncio.to_thread(bench.history.entries, thread_id)
    since = values.get("since", 0)
    job = [entry for entry in active(entries) if entry.number > since]
    return Completion(
        thread_id=thread_id,
        outcome=values.get("outcome") or "unverified",
        summary=redacted(values.get("summary") or _last_words(values)),
        evidence=values.get("evidence"),
        files=[{"path": change.path, "kind": change.kind} for change in net_changes(job)],
        diff=redacted(await net_diff(bench.snapshots, job)),
        graph=graph,
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
        case Failure(exit_code=3) | Interrupted(reason="timeout"):
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


def _last_words(state: State) -> str:
    """What a conversation ended with: it is among the messages and nowhere else."""
    role = state.get("role")
    return (final_words(state, role) or "") if role in CHAT else ""


def _kind(asked: Mapping[str, Any]) -> Literal["approval", "review", "switch", "limit"]:
    if asked.get("type") == "limit":
        return "limit"
    names = {request["name"] for request in asked.get("action_requests", [])}
    if names and names <= {*LEADS_TO}:
        return "switch"
    return "review" if names == {"review"} else "approval"
