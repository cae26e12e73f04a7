"""The end of a run, read from the thread's state, the same for all interfaces."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from langgraph.types import Interrupt, StateSnapshot

from ..config import exit_codes
from ..config.errors import MaxAgentError
from ..config.security.redaction import redact
from ..memory.checkpoints.open_questions import parse_interrupt
from ..memory.threads.index import ThreadIndex
from ..memory.threads.record import STATUS_OF_OUTCOME, ThreadStatus
from ..memory.undo.undo_stack import find_active_entries
from ..nodes.events.union import build_usage
from ..nodes.outcome import explain_outcome
from ..nodes.roles import CHAT_ROLES
from ..nodes.run.dependencies import Dependencies
from ..nodes.run.message_history import find_final_text
from ..nodes.state import State
from .events import (
    Completion,
    Event,
    EvidenceFound,
    Failure,
    Interrupted,
    PlanResponse,
    Question,
    as_json,
)
from .interrupt_response import build_question

# The tool by which the model says in plan mode where the plan stands, and asks
PLAN_RESPONSE = "plan_mode_respond"


def find_question(thread_id: str, state: StateSnapshot) -> Question | None:
    """Return the question that the thread waits for, with all others; None if there is none."""
    questions = find_questions(thread_id, state)
    if not questions:
        return None
    others = [describe_question(question) for question in questions[1:]]
    return replace(questions[0], others=others)


def find_questions(thread_id: str, state: StateSnapshot) -> list[Question]:
    """Return every question that the thread waits for, in the order of its tasks.

    Its sub-agents may ask several at once. Limits come last, the one that is over last first.
    """
    usage = build_usage(state.values.get("usage"))
    every = [_build_question(thread_id, interrupt, usage) for interrupt in state.interrupts]
    asked = [question for question in every if question.kind != "limit"]
    limits = [question for question in every if question.kind == "limit"]
    limits.sort(key=lambda question: question.until, reverse=True)
    return [
        replace(question, position=position, count=len(every))
        for position, question in enumerate([*asked, *limits], 1)
    ]


def _build_question(thread_id: str, interrupt: Interrupt, usage: dict[str, Any]) -> Question:
    asked = cast("Mapping[str, Any]", interrupt.value)
    return build_question(thread_id, parse_interrupt(interrupt.id, asked), usage)


def describe_question(question: Question) -> dict[str, Any]:
    """Return a question as another one lists it."""
    described = ("type", "usage", "others")
    return {name: value for name, value in as_json(question).items() if name not in described}


def list_plan_responses(last: Event, before: Question | None) -> list[PlanResponse]:
    """Return what the model says of its plan in a question that was not open before the run."""
    if not isinstance(last, Question) or (before and before.id == last.id):
        return []
    requests = [request for request in last.action_requests if request["name"] == PLAN_RESPONSE]
    args = [request["args"] for request in requests if request["args"].get("response")]
    return [_build_plan_response(each) for each in args]


def _build_plan_response(args: Mapping[str, Any]) -> PlanResponse:
    options = args.get("options") or ()  # as the model wrote them: a single one may be a text
    names = cast("list[object]", options) if isinstance(options, list) else [options]
    return PlanResponse(str(args["response"]), [str(name) for name in names if name])


async def build_completion(
    thread_id: str, state: StateSnapshot, deps: Dependencies, graph: str
) -> Completion:
    """Build the final event of a job, with the evidence and all changes."""
    from ..memory.undo.change_chains import compute_net_changes, render_net_diff

    values = cast(State, state.values)
    entries = await asyncio.to_thread(deps.history.list_entries, thread_id)
    since = values.get("since", 0)
    job = [entry for entry in find_active_entries(entries) if entry.number > since]
    outcome = values.get("outcome") or "unverified"
    return Completion(
        thread_id=thread_id,
        outcome=outcome,
        summary=redact(values.get("summary") or _read_final_answer(values)),
        evidence=values.get("evidence"),
        files=[{"path": change.path, "kind": change.kind} for change in compute_net_changes(job)],
        diff=redact(await render_net_diff(deps.snapshots, job)),
        graph=graph,
        usage=build_usage(values.get("usage")),
        reason=explain_outcome(values, outcome),
    )


def derive_status(event: Event) -> ThreadStatus | None:
    """Return the thread's status after a stream's last event; None for any other event."""
    match event:
        case Question(kind="limit"):
            return "limit"
        case Question():
            return "waiting"
        case Completion(outcome=outcome):
            return STATUS_OF_OUTCOME[outcome]
        case Failure(exit_code=exit_codes.LIMIT_REACHED) | Interrupted(reason="timeout"):
            return "limit"
        case Failure():
            return "failed"
        case Interrupted():
            return "interrupted"
        case _:
            return None


def find_evidence(event: Event, evidence: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return what to keep of a run's evidence after an event, with why the job ended so."""
    match event:
        case EvidenceFound():
            return as_json(event)
        case Completion(reason=reason) if reason and (proof := evidence or event.evidence):
            return {**proof, "outcome_reason": reason}
        case _:
            return evidence


def read_status(state: StateSnapshot) -> ThreadStatus:
    """Return the thread's status from its state, whatever client ran it."""
    if waiting := find_question("", state):
        return "limit" if waiting.kind == "limit" else "waiting"
    if state.next:
        return "interrupted"
    return STATUS_OF_OUTCOME[cast(State, state.values).get("outcome") or "unverified"]


def _read_final_answer(state: State) -> str:
    """Return a conversation's last answer, which is only among the messages."""
    role = state.get("role")
    return (find_final_text(state, role) or "") if role in CHAT_ROLES else ""


def record_status(
    threads: ThreadIndex,
    thread_id: str,
    status: ThreadStatus,
    evidence: Mapping[str, Any] | None,
) -> None:
    """Record how a run ended; a failed run has already reported a full disk."""
    try:
        threads.set_status(thread_id, status, evidence=evidence)
    except MaxAgentError:
        if status != "failed":
            raise
