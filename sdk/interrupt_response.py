"""A human's answer, fitted to the question that a thread asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..config.errors import UsageError
from ..config.security.redaction import redact
from ..config.text import text
from ..nodes.approval.decisions import WAS_READ

# Characters that tell one question from another
SHORT_ID = 8


@dataclass(frozen=True)
class Answer:
    """What the human decided: for every request alike, or one by one in `decisions`."""

    approve: bool = False
    reject: str | None = None
    """Why; may be empty."""
    text: str | None = None
    """An answer in words."""
    decisions: Sequence[Mapping[str, Any]] = ()
    """One for each request, in its order."""
    question: str = ""
    """Id of the question that was read; empty: whatever the thread asks. Only a yes to a question
    that was read lets the trust in a folder follow what it showed."""
    parked: str | None = None
    """The beginning of the id of the question that it is for, where that was shown by a run before;
    None: whatever the thread asks."""


class OtherQuestionError(UsageError):
    """The thread asks something else than what the answer is for."""


def check_question(answer: Answer, thread: str, asked: str) -> None:
    """Raise OtherQuestionError where the answer is not for the question with that id."""
    parked = answer.parked
    fits = parked is None or (len(parked) >= SHORT_ID and asked.startswith(parked))
    if fits and answer.question in ("", asked):
        return
    other = answer.question[:SHORT_ID] if fits or parked is None else parked
    raise OtherQuestionError(
        text("thread `{thread}` asks another question than `{other}`", thread=thread, other=other),
        hint=text(
            "show it with `mcode resume {thread}`; its ID needs at least {short_id} characters",
            thread=thread,
            short_id=SHORT_ID,
        ),
    )


def build_resume_value(
    answer: Answer, review_configs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The resume value for a question; raises UsageError where the answer does not fit."""
    if answer.text is not None and not answer.text.strip():
        raise UsageError("the answer is empty", hint="give your answer with `--answer TEXT`")
    given = answer.decisions or [_build_decision(answer, config) for config in review_configs]
    was_read = {WAS_READ: True} if answer.question else {}
    return {"decisions": [_without_secrets(decision) for decision in given], **was_read}


def _without_secrets(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Words are kept in the thread; a changed call stays what it is."""
    words = decision.get("message")
    return {**decision, **({"message": redact(words)} if isinstance(words, str) else {})}


def _build_decision(answer: Answer, config: Mapping[str, Any]) -> dict[str, Any]:
    allowed = config["allowed_decisions"]
    if answer.reject is not None:
        return {"type": "reject", "message": answer.reject}
    if answer.approve and "approve" in allowed:
        return {"type": "approve"}
    if answer.text is not None and "respond" in allowed:
        return {"type": "respond", "message": answer.text}
    flags = {"approve": "`--approve`", "reject": "`--reject WHY`", "respond": "`--answer TEXT`"}
    fitting = ", ".join(flags[kind] for kind in allowed if kind in flags)
    raise UsageError(
        text("`{config}` does not accept this answer", config=config["action_name"]),
        hint=text("use {fitting}", fitting=fitting),
    )
