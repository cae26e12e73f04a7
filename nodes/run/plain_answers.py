"""Answers of other clients than ours, such as "yes" in Studio's box, as decisions."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...config.text import text

YES = frozenset({"yes", "y", "ok", "okay", "true", "approve", "approved", "accept", "allow"})
NO = frozenset({"no", "n", "false", "reject", "rejected", "deny", "decline", "ignore"})
EXPECTED = "the answer does not fit the question; expected: `{decisions}`"


def to_decisions(answer: object, configs: Sequence[Mapping[str, Any]]) -> object:
    """Return the answer as decisions where it is clear what is meant, else as it is.

    Only a single request takes a word, a truth value or a bare decision. A text is the answer where
    a text is asked for; beside a yes and a no another word is unclear.
    """
    if len(configs) != 1:
        return answer
    if isinstance(answer, Mapping):
        decision = cast("Mapping[str, object]", answer)
        return [decision] if "type" in decision and "decisions" not in decision else decision
    allowed = configs[0]["allowed_decisions"]
    is_text_asked = "approve" not in allowed or "form" in configs[0]
    if isinstance(answer, str) and is_text_asked and "respond" in allowed:
        return [{"type": "respond", "message": answer}] if answer.strip() else answer
    word = str(answer).strip(" \t\n.!").casefold() if isinstance(answer, str | bool) else ""
    if word in YES and "approve" in allowed:
        return [{"type": "approve"}]
    return [{"type": "reject"}] if word in NO and "reject" in allowed else answer


def describe_expected(configs: Sequence[Mapping[str, Any]]) -> str:
    """Say which answer fits: one decision for each request."""
    kinds = [" | ".join(f'"{kind}"' for kind in each["allowed_decisions"]) for each in configs]
    decisions = ", ".join(f'{{"type": {kind}}}' for kind in kinds)
    return text(EXPECTED, decisions=f'{{"decisions": [{decisions}]}}')
