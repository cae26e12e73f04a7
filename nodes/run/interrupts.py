"""Questions to the user: one interrupt, of which the newest answer counts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from langgraph.config import get_config
from langgraph.errors import GraphInterrupt
from langgraph.types import Interrupt, interrupt

from .audit import record_answer, record_question
from .plain_answers import describe_expected, to_decisions

Fitted = TypeVar("Fitted")
# LangGraph's names of what a run answers by ID, and of the answers of a step
RESUME_MAP, SCRATCHPAD = "__pregel_resume_map", "__pregel_scratchpad"


def name_asker(asked: GraphInterrupt, sub_id: str) -> GraphInterrupt:
    """Return the questions of a child with its ID, so that every client can show who asks."""
    return _add_field(asked, "agent", sub_id)


def explain_refusal(asked: GraphInterrupt, question: Mapping[str, Any]) -> GraphInterrupt:
    """Return the question, asked again, with a sentence on the answer that fits."""
    return _add_field(asked, "error", describe_expected(question.get("review_configs", ())))


def _add_field(asked: GraphInterrupt, name: str, value: str) -> GraphInterrupt:
    return GraphInterrupt(
        [
            Interrupt(value={**question.value, name: value}, id=question.id)
            for question in cast("Sequence[Interrupt]", asked.args[0])
        ]
    )


def request_answer(question: dict[str, Any], fitted: Callable[[object], Fitted | None]) -> Fitted:
    """Return the user's last answer, parsed; ask if there is none, or none that fits.

    LangGraph returns a step's answers in order of arrival. If the step died after the first, the
    question was shown again, and only the later answer may count. An earlier answer without an ID
    comes once more behind one with an ID, and does not count.
    """
    named, configs = _count_named_answers(), question.get("review_configs", ())
    record = record_question(question)
    answers: list[object] = [interrupt(question)] if not named else []
    while True:
        if named and len(answers) == named:
            settled = fitted(to_decisions(answers[-1], configs))
            if settled is not None:
                record_answer(record, answers[-1])
                return settled
        try:
            answers.append(interrupt(question))
        except GraphInterrupt as asked:
            settled = None if named else fitted(to_decisions(answers[-1], configs))
            if settled is None:
                raise explain_refusal(asked, question) from None
            record_answer(record, answers[-1])
            return settled


def _count_named_answers() -> int:
    """Return the number of the step's answers if this run answers by ID; else 0."""
    configurable: dict[str, Any] = get_config().get("configurable", {})
    return len(configurable[SCRATCHPAD].resume) if configurable.get(RESUME_MAP) else 0
