"""An answer to a question, and what each kind of question can be answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...config.arguments import validate_fields
from ...config.errors import UsageError
from ...config.text import text

# The method of a question that makes each decision
_METHODS = {
    "approve": "`question.allow()`",
    "reject": "`question.deny(why)`",
    "respond": "`question.answer(text)`",
}


@dataclass(frozen=True)
class Answer:
    """The user's decision: the same for all requests, or one for each in `decisions`."""

    approve: bool = False
    reject: str | None = None
    """The reason; may be empty."""
    text: str | None = None
    """A text answer."""
    decisions: Sequence[Mapping[str, Any]] = ()
    """One for each request, in its order."""
    question: str = ""
    """ID of the question that was read; empty: any question of the thread. Only a yes to a question
    that was read extends the trust in a folder to what it showed.
    """
    parked: str | None = None
    """Prefix of the ID of the question to answer, if an earlier run showed it; None: any question
    of the thread.
    """
    turns: int = 0
    """At a limit: how many more model turns to grant; 0: as many as before."""

    def __post_init__(self) -> None:
        validate_fields(self)


def check_decision(kind: str, review_configs: Sequence[Mapping[str, Any]], decision: str) -> None:
    """Raise UsageError if a request of the question does not accept this decision."""
    if kind == "limit":
        if decision != "approve":
            raise UsageError(
                "a limit is extended, or left as it is",
                hint="use `question.extend(turns)` or `question.allow()`",
            )
        return
    for config in review_configs:
        allowed = config["allowed_decisions"]
        if decision != "reject" and decision not in allowed:
            raise UsageError(
                text("`{config}` does not accept this answer", config=config["action_name"]),
                hint=text("use {options}", options=list_methods(allowed)),
            )


def list_methods(allowed: Sequence[str]) -> str:
    """Return the methods of a question that build these decisions."""
    return ", ".join(_METHODS[name] for name in allowed if name in _METHODS)
