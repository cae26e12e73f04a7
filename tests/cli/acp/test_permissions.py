"""Questions as a client is asked, and its answers as decisions."""

from typing import Any

import pytest

from maxagent.cli.acp.permissions import (
    build_answer,
    build_form,
    list_options,
    list_requests,
    read_decision,
    read_form,
)
from maxagent.sdk.events import Question

CALL: dict[str, Any] = {"name": "run_command", "args": {"command": "make"}, "description": "why"}
RULE = {**CALL, "always": "run_command(make)"}
ASKS = {"name": "ask_user", "args": {"question": "Which?", "options": ["x", "y"]}}
FORM = {"name": "f", "args": {}, "form": {"type": "object", "properties": {}}}


def ask(*requests: dict[str, Any], kind: Any = "approval") -> Question:
    configs = [{"action_name": "a", "allowed_decisions": ["approve", "reject"]} for _ in requests]
    return Question("t", "q", kind, list(requests), configs)


@pytest.mark.parametrize(
    ("request_", "kinds"),
    [
        (CALL, ["allow_once", "reject_once"]),
        (RULE, ["allow_once", "allow_always", "allow_always", "reject_once"]),
        (ASKS, ["allow_once", "allow_once"]),
        ({"name": "review", "args": {"outcome": "verified"}}, ["allow_once", "reject_once"]),
    ],
)
def test_options_begin_with_the_narrowest_yes(request_: dict[str, Any], kinds: list[str]) -> None:
    assert [option["kind"] for option in list_options(ask(request_), request_)] == kinds


@pytest.mark.parametrize(
    ("option", "request_", "decision"),
    [
        ("allow", CALL, {"type": "approve"}),
        ("thread", RULE, {"type": "approve", "for_thread": True}),
        ("always", RULE, {"type": "approve", "always": "run_command(make)"}),
        ("choice-1", ASKS, {"type": "respond", "message": "y"}),
        ("reject", CALL, {"type": "reject", "message": ""}),
        # what was never offered
        ("always", CALL, {"type": "reject", "message": ""}),
        ("thread", CALL, {"type": "reject", "message": ""}),
        ("choice-7", ASKS, {"type": "reject", "message": ""}),
        ("choice--1", ASKS, {"type": "reject", "message": ""}),
        ("choice-²", ASKS, {"type": "reject", "message": ""}),
        ("allow_always", RULE, {"type": "reject", "message": ""}),
        ("", CALL, {"type": "reject", "message": ""}),
        ("None", CALL, {"type": "reject", "message": ""}),
    ],
)
def test_only_what_was_offered_is_a_yes(
    option: str, request_: dict[str, Any], decision: dict[str, Any]
) -> None:
    assert read_decision(option, request_) == decision


@pytest.mark.parametrize(
    ("result", "request_", "decision"),
    [
        ({"action": "accept", "content": {"answer": "Ada"}}, ASKS, ("respond", "Ada")),
        ({"action": "accept", "content": {"answer": " "}}, ASKS, None),
        ({"action": "accept"}, ASKS, None),
        ({"action": "decline"}, ASKS, ("reject", "")),
        ({"action": "cancel"}, ASKS, None),
        ({}, ASKS, None),
        (None, FORM, None),
        ({"action": "accept", "content": {"a": 1}}, FORM, ("edit", None)),
        ({"action": "accept"}, {"name": "p", "args": {}, "url": "https://x"}, ("approve", None)),
    ],
)
def test_forms_are_decided_by_their_action(
    result: object, request_: dict[str, Any], decision: tuple[str, str | None] | None
) -> None:
    read = read_form(result, request_)
    assert (read and (read["type"], read.get("message"))) == decision


def test_a_limit_is_extended_or_left() -> None:
    question = ask(kind="limit")
    [request] = list_requests(question)
    yes, no = (read_decision(option, request) for option in ("allow", "reject"))
    answer = build_answer(question, [yes])
    assert answer and answer.approve and build_answer(question, [no]) is None


def test_a_text_is_asked_by_a_form_with_one_field() -> None:
    form = build_form(ASKS)
    assert form["message"] == "Which?" and form["requestedSchema"]["required"] == ["answer"]
