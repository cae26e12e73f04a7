"""A change to the next model: asked first if it is dearer, then told."""

from collections.abc import Mapping
from typing import Any, cast

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ....config.text import text
from ...approval.decisions import parse_decisions
from ..agent import Agent
from ..context import Context
from ..emit import emit_event
from .fallback_models import is_dearer, price_to_json
from .provider_limit import FailedRequest

NAME = "change_model"


def confirm_change(
    runtime: Runtime[Context], failure: FailedRequest, agent: Agent, answers: list[object]
) -> bool:
    """Return whether the model may be asked; in mode `ask` the user decides if it is dearer.

    `answers` are those of the user that this step has read so far.
    """
    before, after = failure.model, agent.deps.model
    change: dict[str, Any] = {
        "from": before.name,
        "to": after.name,
        "reason": failure.error.message,
        "price_before": price_to_json(before.price),
        "price_after": price_to_json(after.price),
    }
    if is_dearer(before.price, after.price) and agent.deps.policy.mode == "ask":
        decision = _ask_user(_build_question(change), after.name, answers)
        if decision["type"] != "approve":
            return False
    emit_event(runtime, "model_changed", **change)
    return True


def _build_question(change: dict[str, Any]) -> dict[str, Any]:
    before, after = change["from"], change["to"]
    words = text("`{after}` is dearer than `{before}`", after=after, before=before)
    action = {"name": NAME, "args": change, "description": words}
    config = {"action_name": NAME, "allowed_decisions": ["approve", "reject"], "model": after}
    return {"action_requests": [action], "review_configs": [config]}


def _ask_user(question: dict[str, Any], model: str, answers: list[object]) -> Mapping[str, Any]:
    """Return the newest decision about this model; ask if there is none.

    LangGraph returns a step's answers in order of arrival, also those to other questions.
    """
    while True:
        try:
            answers.append(interrupt(question))
        except GraphInterrupt:
            decisions = [found for one in answers if (found := _parse_decision(one, model))]
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
