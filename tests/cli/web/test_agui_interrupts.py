from typing import Any

import pytest

from maxagent import UsageError
from maxagent.cli.web.agui_interrupts import build_interrupts, read_answers
from maxagent.sdk.events import Question

Json = dict[str, Any]
CALL: Json = {"name": "run_command", "args": {"command": "make"}, "tool_call_id": "c"}
RULE = {**CALL, "always": "run_command(make)"}
REVIEW: Json = {"name": "review", "args": {}}
SAYS: Json = {"name": "ask_user", "args": {"question": "Which?", "options": ["x", "y"]}}
SCHEMA: Json = {"type": "object", "properties": {"a": {"type": "integer"}}}
FORM: Json = {"name": "f", "args": {}, "form": SCHEMA}
YES, NO = {"type": "approve"}, {"type": "reject", "message": ""}


def ask(*requests: Json, kind: Any = "approval", name: str = "q") -> Question:
    decisions = ["respond", "reject"] if SAYS in requests else ["approve", "edit", "reject"]
    configs = [{"action_name": "a", "allowed_decisions": decisions} for _ in requests]
    return Question("t", name, kind, list(requests), configs, description="so many turns")


def resolve(name: str, payload: Any) -> Json:
    return {"interruptId": name, "status": "resolved", "payload": payload}


@pytest.mark.parametrize(
    ("question", "reason", "fields"),
    [
        (ask(CALL), "tool_call", ["approved", "editedArgs", "reason"]),
        (ask(RULE), "tool_call", ["approved", "editedArgs", "option", "reason"]),
        (ask(SAYS), "input_required", ["text"]),
        (ask(FORM), "input_required", ["a"]),
        (ask(kind="limit"), "mcode:limit", ["approved", "reason"]),
        (
            ask(REVIEW, kind="review"),
            "mcode:review",
            ["approved", "reason"],
        ),
    ],
)
def test_an_interrupt_says_what_answers_it(
    question: Question, reason: str, fields: list[str]
) -> None:
    [interrupt] = build_interrupts([question])
    properties = sorted(interrupt["responseSchema"]["properties"])
    assert (interrupt["id"], interrupt["reason"]) == ("q", reason)
    assert set(fields) <= set(properties) <= {*fields, "editedArgs"}
    assert interrupt["message"]


def test_each_request_is_an_interrupt() -> None:
    asked = build_interrupts([ask(CALL, CALL), ask(CALL, name="other")])
    assert [each["id"] for each in asked] == ["q:0", "q:1", "other"]


@pytest.mark.parametrize(
    ("request_", "payload", "decision"),
    [
        (CALL, {"approved": True}, YES),
        (CALL, {"approved": False}, NO),
        (CALL, {"approved": False, "reason": "no"}, {"type": "reject", "message": "no"}),
        (RULE, {"approved": True, "option": "always"}, {**YES, "always": "run_command(make)"}),
        (SAYS, {"text": "x"}, {"type": "respond", "message": "x"}),
    ],
)
def test_a_payload_becomes_a_decision(request_: Json, payload: Json, decision: Json) -> None:
    [(_, answer)] = read_answers([ask(request_)], [resolve("q", payload)])
    assert list(answer.decisions) == [decision]


def test_edited_arguments_run() -> None:
    edited = {"approved": True, "editedArgs": {"command": "ls"}}
    [(_, answer)] = read_answers([ask(CALL)], [resolve("q", edited)])
    assert answer.decisions[0]["edited_action"]["args"] == {"command": "ls"}


def test_a_cancelled_call_is_refused() -> None:
    [(_, answer)] = read_answers([ask(CALL)], [{"interruptId": "q", "status": "cancelled"}])
    assert list(answer.decisions) == [NO]


@pytest.mark.parametrize("entry", [{"status": "cancelled"}, resolve("", {"approved": False})])
def test_a_limit_can_be_left(entry: Json) -> None:
    assert read_answers([ask(kind="limit")], [{**entry, "interruptId": "q"}]) == []


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [resolve("q:0", {"approved": True})],
        [resolve("other", {"approved": True})],
        [resolve("q", None)],
        [resolve("q", True)],
        [resolve("q", {})],
        [resolve("q", {"aproved": True})],
        [resolve("q", {"approved": "yes"})],
        [resolve("q", {"approved": True, "option": "always"})],
        [resolve("q", {"approved": True, "editedArgs": {"command": 7}})],
        [resolve("q", {"text": "x"})],
        [{"interruptId": "q", "status": "open"}],
        [{"interruptId": 7, "status": "cancelled"}],
        ["q"],
    ],
)
def test_what_is_no_answer_resumes_nothing(entries: list[Any]) -> None:
    with pytest.raises(UsageError):
        read_answers([ask(CALL)], entries)
