"""A change to the next model: asked first if it is dearer, then told."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...config.text import text
from ...models.resolver import ResolvedModel
from ..approval.decisions import parse_decisions
from ..events.model import ModelChanged
from ..run.agent import Agent
from ..run.context import Context
from ..run.emit import emit
from .fallback_models import can_be_dearer, price_to_json
from .provider_limit import FailedRequest

NAME = "change_model"


@dataclass(frozen=True)
class ApprovedChange:
    """The user's yes to a dearer model."""

    model: str
    reason: str


def read_answers() -> list[object]:
    """Return the user's answers to the questions of this step, in order of arrival."""
    answers = list[object]()
    with suppress(GraphInterrupt):
        while True:
            answers.append(interrupt(None))
    return answers


def find_approved_change(answers: Sequence[object], model: str) -> ApprovedChange | None:
    """Return the change that the last answer approves, if this model is one that had failed.

    After any other answer, such as the end of a limit, the model may answer again.
    """
    last = answers[-1] if answers else None
    fields = cast("dict[str, Any]", last) if isinstance(last, dict) else {}
    after, failed = str(fields.get("model", "")), fields.get("failed")
    if not after or not isinstance(failed, list) or model not in cast("list[object]", failed):
        return None
    decision = _parse_decision(fields, after)
    if decision is None or decision["type"] != "approve":
        return None
    return ApprovedChange(after, str(fields.get("reason", "")))


def confirm_change(
    runtime: Runtime[Context],
    failures: Sequence[FailedRequest],
    agent: Agent,
    answers: list[object],
) -> bool:
    """Return whether the model may be asked; in mode `ask` the user decides if it may be dearer.

    `answers` are those of the user that this step has read so far.
    """
    failure, after = failures[-1], agent.deps.model
    change = _build_change(failure.model, after, failure.error.message)
    if can_be_dearer(failure.model.price, after.price) and agent.deps.policy.mode == "ask":
        question = _build_question(change, [failed.model.name for failed in failures])
        decision = _ask_user(question, after.name, answers)
        if decision["type"] != "approve":
            return False
    emit(runtime, change)
    return True


def announce_change(
    runtime: Runtime[Context], before: ResolvedModel, after: ResolvedModel, reason: str
) -> None:
    """Tell that another model is asked."""
    emit(runtime, _build_change(before, after, reason))


def _build_change(before: ResolvedModel, after: ResolvedModel, reason: str) -> ModelChanged:
    return ModelChanged(
        from_=before.name,
        to=after.name,
        reason=reason,
        price_before=price_to_json(before.price),
        price_after=price_to_json(after.price),
    )


def _build_question(change: ModelChanged, failed: Sequence[str]) -> dict[str, Any]:
    description = text(
        "`{after}` may cost more than `{before}`", after=change.to, before=change.from_
    )
    args = {
        "from": change.from_,
        "to": change.to,
        "reason": change.reason,
        "price_before": change.price_before,
        "price_after": change.price_after,
    }
    action = {"name": NAME, "args": args, "description": description}
    config = {
        "action_name": NAME,
        "allowed_decisions": ["approve", "reject"],
        "model": change.to,
        "failed": list(failed),
        "reason": change.reason,
    }
    return {"action_requests": [action], "review_configs": [config]}


def _ask_user(question: dict[str, Any], model: str, answers: list[object]) -> Mapping[str, Any]:
    """Return the newest decision about this model; ask if there is none.

    LangGraph returns a step's answers in order of arrival, also those to other questions.
    """
    while True:
        try:
            answers.append(interrupt(question))
        except GraphInterrupt:
            decisions = [
                decision for answer in answers if (decision := _parse_decision(answer, model))
            ]
            if not decisions:
                raise
            return decisions[-1]


def _parse_decision(answer: object, model: str) -> Mapping[str, Any] | None:
    """Return the decision if it is about this model; a client may leave its name out."""
    fields = cast("dict[str, object]", answer) if isinstance(answer, dict) else {}
    decisions = parse_decisions(cast("object", answer))
    if fields.get("model", model) != model or not decisions:
        return None
    return decisions[0] if decisions[0].get("type") in ("approve", "reject") else None
