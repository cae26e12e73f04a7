"""Open questions as interrupts of AG-UI, and its answers as the SDK takes them.

Each request of a question is an interrupt of its own, with its call and the schema of its answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ...config.errors import UsageError
from ...config.text import text
from ...sdk.events import Question
from ...sdk.interrupt_response import Answer, OtherQuestionError
from .question_cards import describe_question, read_answer

Json = dict[str, Any]
# Of the fields of an answer to a call, what each must be
_FIELDS: Mapping[str, type] = {
    "approved": bool,
    "editedArgs": dict,
    "reason": str,
    "option": str,
    "text": str,
}
_STATUSES = ("resolved", "cancelled")


def build_interrupts(questions: Sequence[Question]) -> list[Json]:
    """Return the interrupts of all open questions."""
    return [
        _build_interrupt(interrupt_id, question, card)
        for question in questions
        for interrupt_id, card in _list_cards(question)
    ]


def _list_cards(question: Question) -> list[tuple[str, Json]]:
    """Return what is to be decided, each with the ID of its interrupt."""
    cards: list[Json] = describe_question(question)["requests"]
    if len(cards) == 1:
        return [(question.id, cards[0])]
    return [(f"{question.id}:{number}", card) for number, card in enumerate(cards)]


def _build_interrupt(interrupt_id: str, question: Question, card: Json) -> Json:
    lines: list[str] = [card["title"], card["reason"], *card["texts"]]
    call_id = card["call_id"]
    interrupt: Json = {
        "id": interrupt_id,
        "reason": _find_reason(question, card),
        "message": "\n".join(dict.fromkeys(line for line in lines if line)),
        "responseSchema": _build_schema(card),
        "metadata": {"mcode": {"kind": question.kind, "until": question.until, **card}},
    }
    if call_id:
        interrupt["toolCallId"] = call_id
    if question.agent:
        interrupt["subagentRunId"] = question.agent
    return interrupt


def _find_reason(question: Question, card: Json) -> str:
    if card["form"] or _is_for_words(card):
        return "input_required"
    if question.kind == "approval" and card["call_id"]:
        return "tool_call"
    return f"mcode:{question.kind}"


def _is_for_words(card: Json) -> bool:
    options = [option["optionId"] for option in card["options"]]
    return card["takes_text"] and "allow" not in options


def _build_schema(card: Json) -> Json:
    if card["form"]:
        return card["form"]
    names = [option["name"] for option in card["options"]]
    if _is_for_words(card):
        field = {"type": "string", **({"examples": names} if names else {})}
        return {"type": "object", "properties": {"text": field}, "required": ["text"]}
    fields: Json = {"approved": {"type": "boolean"}, "reason": {"type": "string"}}
    if yes := [name for name in _list_yes(card) if name != "allow"]:
        fields["option"] = {"type": "string", "enum": ["allow", *yes]}
    if card["takes_edit"]:
        fields["editedArgs"] = {"type": "object"}
    if card["takes_text"]:
        fields["text"] = {"type": "string"}
    return {"type": "object", "properties": fields, "required": ["approved"]}


def _list_yes(card: Json) -> list[str]:
    return [each["optionId"] for each in card["options"] if each["optionId"] != "reject"]


def read_answers(
    questions: Sequence[Question], entries: Sequence[Any]
) -> list[tuple[Question, Answer]]:
    """Return the answers of a `resume`, which must be for all open questions; raises UsageError.

    A limit that is cancelled is left as it is, and has no answer.
    """
    answers = dict(_read_entries(entries))
    asked = {name: card for question in questions for name, card in _list_cards(question)}
    _check_ids(asked, answers)
    pairs = list[tuple[Question, Answer]]()
    for question in questions:
        cards = _list_cards(question)
        if question.kind == "limit" and not _is_yes(answers[question.id]):
            continue
        choices = [_read_choice(card, answers[name]) for name, card in cards]
        pairs.append((question, read_answer(question, choices)))
    return pairs


def _read_entries(entries: Sequence[Any]) -> Iterator[tuple[str, Json]]:
    for entry in entries:
        fields = cast("Json", entry) if isinstance(entry, dict) else {}
        if not isinstance(fields.get("interruptId"), str) or fields.get("status") not in _STATUSES:
            raise UsageError(
                "an entry of `resume` is not understood",
                hint="each has an `interruptId` and the status `resolved` or `cancelled`",
            )
        yield fields["interruptId"], fields


def _check_ids(asked: Mapping[str, Any], entries: Mapping[str, Any]) -> None:
    for name in entries:
        if name not in asked:
            raise OtherQuestionError(
                text("`{name}` is not open: it was answered already, or never asked", name=name),
                hint="a run without a message shows what is open now",
            )
    if missing := [name for name in asked if name not in entries]:
        raise UsageError(
            text("`resume` has no answer to {names}", names=", ".join(missing)),
            hint="it must answer every open interrupt; `cancelled` is an answer, too",
        )


def _is_yes(entry: Json) -> bool:
    payload: Any = entry.get("payload")
    return entry["status"] == "resolved" and _read_payload(payload).get("approved") is True


def _read_choice(card: Json, entry: Json) -> Json:
    """Return an answer as the page would give it."""
    if entry["status"] == "cancelled":
        return {"option": "reject"}
    payload = _read_payload(entry.get("payload"), is_form=bool(card["form"]))
    if card["form"]:
        return {"form": payload}
    if "text" in payload and card["takes_text"]:
        return {"text": payload["text"]}
    if "approved" not in payload or _is_for_words(card):
        raise _build_payload_error(card)
    if not payload["approved"]:
        return {"option": "reject", "reason": payload.get("reason", "")}
    if "editedArgs" in payload:
        return {"edit": payload["editedArgs"]}
    option = payload.get("option", "allow")
    if option not in _list_yes(card):
        raise _build_payload_error(card)
    return {"option": option}


def _read_payload(payload: object, *, is_form: bool = False) -> Json:
    """Return the fields of an answer; raises UsageError for what is no field of one."""
    fields = cast("Json", payload) if isinstance(payload, dict) else None
    if fields is None or not (is_form or _has_known_fields(fields)):
        raise UsageError(
            "the `payload` of an answer is not understood",
            hint=text("it is an object with {names}", names=", ".join(_FIELDS)),
        )
    return fields


def _has_known_fields(fields: Json) -> bool:
    return all(isinstance(value, _FIELDS.get(name, ())) for name, value in fields.items())


def _build_payload_error(card: Json) -> UsageError:
    return UsageError(
        text("the answer does not fit `{name}`", name=card["name"]),
        hint="the `responseSchema` of the interrupt says what does",
    )
