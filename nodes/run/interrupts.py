"""Questions to the user: one interrupt, of which the newest answer counts."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from langgraph.errors import GraphInterrupt
from langgraph.types import Interrupt, interrupt

Fitted = TypeVar("Fitted")


def name_asker(asked: GraphInterrupt, sub_id: str) -> GraphInterrupt:
    """Return the questions of a child with its ID, so that every client can show who asks."""
    return GraphInterrupt(
        [
            Interrupt(value={**question.value, "agent": sub_id}, id=question.id)
            for question in cast("Sequence[Interrupt]", asked.args[0])
        ]
    )


def request_answer(question: dict[str, Any], fitted: Callable[[object], Fitted | None]) -> Fitted:
    """Return the user's last answer, parsed; ask if there is none, or none that fits.

    LangGraph returns a step's answers in order of arrival. If the step died after the first, the
    question was shown again, and only the later answer may count.
    """
    answer: object = interrupt(question)
    while True:
        try:
            answer = interrupt(question)
        except GraphInterrupt:
            settled = fitted(answer)
            if settled is None:
                raise
            return settled
