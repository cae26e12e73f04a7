"""Ask the human: one interrupt, and the newest answer to it counts."""

from collections.abc import Callable
from typing import Any, TypeVar

from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

Fitted = TypeVar("Fitted")


def request_answer(question: dict[str, Any], fitted: Callable[[object], Fitted | None]) -> Fitted:
    """What the human answered last, made fit; asks while there is no answer, or none that fits.

    LangGraph hands a step's answers out in the order in which they came. If the step died after
    the first, the question was shown again, and only what was said then may count.
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
