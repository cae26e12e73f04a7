"""What a human decided: the resume value of an interrupt, from whichever client it came."""

from collections.abc import Mapping
from typing import Any, cast

# What older clients call the decisions
OLD_TYPES = {"accept": "approve", "response": "respond", "ignore": "reject"}


# Beside the decisions: whoever made them had this very question before their eyes
WAS_READ = "was_read"


def is_answer_to_shown_question(answer: object) -> bool:
    """Whether it answers what was shown, and not whatever the thread asks."""
    return _is_mapping(answer) and cast("Mapping[str, object]", answer).get(WAS_READ) is True


def parse_decisions(answer: object) -> list[Mapping[str, Any]]:
    """The decisions in order, each with a `type`; empty when the answer has no known shape.

    Clients send `{"decisions": […]}`, older ones a plain list.
    """
    listed = (
        cast("Mapping[str, object]", answer).get("decisions") if _is_mapping(answer) else answer
    )
    items = cast("list[object]", listed) if isinstance(listed, list) else []
    if not all(map(_is_mapping, items)):
        return []
    return [_normalize_type(cast("Mapping[str, Any]", item)) for item in items]


def _normalize_type(decision: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = str(decision.get("type", ""))
    return {**decision, "type": OLD_TYPES.get(kind, kind)}


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)
