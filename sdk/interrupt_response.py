"""An interrupt as a question, and the user's answer as what resumes it."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..config.errors import UsageError
from ..config.security.redaction import redact
from ..config.text import text
from ..memory.checkpoints.open_questions import OpenQuestion
from ..nodes.approval.decisions import WAS_READ, parse_decisions
from ..nodes.events.question import Answer as Answer
from ..nodes.events.question import Question, QuestionKind, list_methods
from ..nodes.run.plain_answers import describe_expected
from ..tools.result import ToolError

# Characters that identify a question
SHORT_ID = 8
# The option of `mcode resume` that makes each decision
_OPTIONS = {"approve": "`--approve`", "reject": "`--reject WHY`", "respond": "`--answer TEXT`"}


class OtherQuestionError(UsageError):
    """The thread asks other questions than the one answered."""


class NoQuestionError(UsageError):
    """The thread asks nothing."""


def build_question(
    thread_id: str, asked: OpenQuestion, usage: Mapping[str, Any] | None = None
) -> Question:
    """Return a question as a run ends with it; `usage` are the thread's totals."""
    return Question(
        thread_id=thread_id,
        id=asked.id,
        kind=_classify(asked),
        action_requests=list(asked.requests),
        review_configs=list(asked.configs),
        description=asked.description,
        until=asked.until,
        provider=asked.provider,
        usage=dict(usage or {}),
        agent=asked.agent,
    )


def _classify(asked: OpenQuestion) -> QuestionKind:
    """Return the kind by the names of the requests, which no tool of a program may have."""
    names = {request.get("name") for request in asked.requests}
    if not names:
        return "limit"
    if names == {"pull_request"}:
        return "pull_request"
    if names <= {"plan_enter", "plan_exit"}:
        return "switch"
    return "review" if names == {"review"} else "approval"


def match_answers(
    answers: Sequence[Answer], thread: str, questions: Sequence[Question]
) -> list[tuple[Question, Answer]]:
    """Return the question of each answer, each question once.

    An answer that names none is for the first that no other answer is for. Raises
    OtherQuestionError for one whose question is not open.
    """
    left, matched = list(questions), list[tuple[Question, Answer]]()
    # those that name theirs first
    for answer in sorted(answers, key=lambda answer: not (answer.question or answer.parked)):
        question = next((question for question in left if _is_for(answer, question)), None)
        if question is None:
            raise _build_other_error(answer, thread)
        left.remove(question)
        matched.append((question, answer))
    return matched


def _is_for(answer: Answer, question: Question) -> bool:
    parked = answer.parked
    fits = parked is None or (len(parked) >= SHORT_ID and question.id.startswith(parked))
    return fits and answer.question in ("", question.id)


def _build_other_error(answer: Answer, thread: str) -> OtherQuestionError:
    other = answer.question[:SHORT_ID] or answer.parked or ""
    return OtherQuestionError(
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
    """Return the resume value for a question; raises UsageError if the answer does not fit."""
    if answer.text is not None and not answer.text.strip():
        raise UsageError(
            "the answer is empty",
            hint="give your answer with `--answer TEXT`",
            program_hint="give your answer with `question.answer(text)`",
        )
    if answer.decisions:
        _check_decisions(answer.decisions, review_configs)
    decisions = answer.decisions or [_build_decision(answer, config) for config in review_configs]
    marks: dict[str, Any] = {WAS_READ: True} if answer.question else {}
    # which model the answer is about, and instead of which ones: a step may ask about several
    for config in review_configs:
        marks |= {name: config[name] for name in ("model", "failed", "reason") if name in config}
    return {"decisions": [_without_secrets(decision) for decision in decisions], **marks}


def _check_decisions(
    decisions: Sequence[Mapping[str, Any]], review_configs: Sequence[Mapping[str, Any]]
) -> None:
    """Raise UsageError unless there is one for each request, and each is one that it accepts."""
    parsed = parse_decisions([*decisions])
    if len(parsed) != len(review_configs) or not all(
        map(_is_allowed_decision, parsed, review_configs)
    ):
        raise UsageError(
            describe_expected(review_configs),
            hint="give one decision for each request, in their order",
        )


def _is_allowed_decision(decision: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    kind, action = decision["type"], decision.get("edited_action") or decision.get("args")
    args = cast("Mapping[str, object]", action).get("args", {}) if _is_mapping(action) else None
    is_complete = kind != "edit" or _is_mapping(args)
    has_words = isinstance(decision.get("message", ""), str | None)
    return is_complete and has_words and kind in ("reject", *config["allowed_decisions"])


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _without_secrets(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Redact texts, which the thread stores; keep the arguments of an edited call."""
    words = decision.get("message")
    return {**decision, **({"message": redact(words)} if isinstance(words, str) else {})}


def _check_form(words: str, schema: Mapping[str, Any]) -> None:
    """Raise UsageError if a text does not fit the form that an MCP server asks to fill in."""
    from ..tools.mcp.questions import read_form_answer

    try:
        read_form_answer({"type": "respond", "message": words}, schema)
    except ToolError as error:
        raise UsageError(
            str(error),
            hint="give JSON, or a line `NAME: VALUE` for each field, with `--answer`",
            program_hint="give JSON, or a line `NAME: VALUE` for each field",
        ) from error


def _build_decision(answer: Answer, config: Mapping[str, Any]) -> dict[str, Any]:
    allowed = config["allowed_decisions"]
    if answer.text is not None and "form" in config:
        _check_form(answer.text, config["form"])
    if answer.reject is not None:
        return {"type": "reject", "message": answer.reject}
    if answer.approve and "approve" in allowed:
        return {"type": "approve"}
    if answer.text is not None and "respond" in allowed:
        return {"type": "respond", "message": answer.text}
    raise UsageError(
        text("`{config}` does not accept this answer", config=config["action_name"]),
        hint=text("use {options}", options=", ".join(list_answer_options([config]))),
        program_hint=text("use {options}", options=list_methods(allowed)),
    )


def list_answer_options(review_configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the options of `mcode resume` that the requests of a question accept."""
    allowed = {kind for config in review_configs for kind in config["allowed_decisions"]}
    return [option for kind, option in _OPTIONS.items() if kind in allowed or kind == "reject"]
