"""Decisions of the user: the resume value of an interrupt, from any client."""

from collections.abc import Mapping
from typing import Any, cast

# Older clients' names of the decisions
OLD_TYPES = {"accept": "approve", "response": "respond", "ignore": "reject"}


# Key beside the decisions: the user had read this very question
WAS_READ = "was_read"


def is_answer_to_shown_question(answer: object) -> bool:
    """Return whether the answer is for the question shown, not for any question of the thread."""
    return _is_mapping(answer) and cast("Mapping[str, object]", answer).get(WAS_READ) is True


def parse_decisions(answer: object) -> list[Mapping[str, Any]]:
    """Return the decisions in order, each with a `type`; empty if the format is unknown.

    Clients send `{"decisions": […]}`, older ones a plain list.
    """
    decisions = (
        cast("Mapping[str, object]", answer).get("decisions") if _is_mapping(answer) else answer
    )
    items = cast("list[object]", decisions) if isinstance(decisions, list) else []
    if not all(map(_is_mapping, items)):
        return []
    return [_normalize_type(cast("Mapping[str, Any]", item)) for item in items]


def _normalize_type(decision: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = str(decision.get("type", ""))
    return {**decision, "type": OLD_TYPES.get(kind, kind)}


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)
