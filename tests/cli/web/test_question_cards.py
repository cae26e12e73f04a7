"""Questions as the page shows them, and its answers."""

from typing import Any

import pytest

from maxagent import UsageError
from maxagent.cli.web.question_cards import describe_question, read_answer, summarize_question
from maxagent.sdk.events import Question

PLAN: dict[str, Any] = {"name": "plan_exit", "args": {"plan": "p.md", "text": "# Plan"}}
CALL: dict[str, Any] = {"name": "run_command", "args": {"command": "make"}, "description": "why"}
RULE = {**CALL, "always": "run_command(make)"}
ASKS = {"name": "ask_user", "args": {"question": "Which?", "options": ["x", "y"]}}
SAYS = {"name": "ask_user", "args": {"question": "Which?"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
FORM = {"name": "f", "args": {}, "form": SCHEMA}


def ask(*requests: dict[str, Any], kind: Any = "approval", allowed: Any = None) -> Question:
    decisions = allowed or ["approve", "edit", "reject"]
    configs = [{"action_name": "a", "allowed_decisions": decisions} for _ in requests]
    return Question("t", "q", kind, list(requests), configs)


@pytest.mark.parametrize(
    ("request_", "allowed", "options", "takes_text"),
    [
        (CALL, ["approve", "reject"], ["allow", "reject"], False),
        (CALL, ["approve", "respond", "reject"], ["allow", "reject"], True),
        (RULE, ["approve", "reject"], ["allow", "thread", "always", "reject"], False),
        (ASKS, ["respond", "reject"], ["choice-0", "choice-1"], True),
        (SAYS, ["respond", "reject"], [], True),
    ],
)
def test_a_card_offers_what_the_question_accepts(
    request_: dict[str, Any], allowed: list[str], options: list[str], takes_text: bool
) -> None:
    [card] = describe_question(ask(request_, allowed=allowed))["requests"]
    assert [option["optionId"] for option in card["options"]] == options
    assert card["takes_text"] is takes_text


DIFF = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"


@pytest.mark.parametrize(
    ("request_", "kind", "summary"),
    [
        (CALL, "approval", ("run", "make", "", 0, 0)),
        (
            {"name": "edit", "args": {"file_path": "x"}, "diff": DIFF},
            "approval",
            ("edit", "x", "", 2, 1),
        ),
        (ASKS, "approval", ("ask", "Which?", "Which?", 0, 0)),
        (
            {"name": "run_command", "args": {"command": "x" * 999}},
            "approval",
            ("run", "x" * 160, "", 0, 0),
        ),
        (PLAN, "switch", ("plan", "p.md", "# Plan", 0, 0)),
        ({"name": "odd", "args": None}, "approval", ("use", "odd", "", 0, 0)),
    ],
)
def test_a_list_says_what_is_asked(
    request_: dict[str, Any], kind: str, summary: tuple[str, str, str, int, int]
) -> None:
    names = ("verb", "subject", "text", "added", "removed")
    described = summarize_question(ask(request_, kind=kind))
    assert described == {"kind": kind, **dict(zip(names, summary, strict=True))}


def test_a_reason_that_the_call_says_is_left_out() -> None:
    [card] = describe_question(ask({**CALL, "description": "it changes files"}))["requests"]
    assert card["reason"] == ""


@pytest.mark.parametrize(
    ("choice", "request_", "decision"),
    [
        ({"option": "allow"}, CALL, {"type": "approve"}),
        ({"option": "always"}, RULE, {"type": "approve", "always": "run_command(make)"}),
        ({"option": "always"}, CALL, {"type": "reject", "message": ""}),
        ({"option": "reject", "reason": "no"}, CALL, {"type": "reject", "message": "no"}),
        ({"text": "Ada"}, ASKS, {"type": "respond", "message": "Ada"}),
        ({"option": "choice-1"}, ASKS, {"type": "respond", "message": "y"}),
        ({}, CALL, {"type": "reject", "message": ""}),
        ({"option": ["allow"]}, CALL, {"type": "reject", "message": ""}),
        ({"form": {"a": 1}}, CALL, {"type": "reject", "message": ""}),
        ({"form": {}}, FORM, {"type": "edit", "edited_action": {"name": "f", "args": {}}}),
    ],
)
def test_a_choice_becomes_a_decision(
    choice: dict[str, Any], request_: dict[str, Any], decision: dict[str, Any]
) -> None:
    answer = read_answer(ask(request_), [choice])
    assert [dict(each) for each in answer.decisions] == [decision]
    assert answer.question == "q"


def test_changed_arguments_are_an_edit() -> None:
    [decision] = read_answer(ask(CALL), [{"edit": {"command": "ls"}}]).decisions
    assert decision["edited_action"] == {"name": "run_command", "args": {"command": "ls"}}


def test_the_same_arguments_are_a_yes() -> None:
    [decision] = read_answer(ask(CALL), [{"edit": {"command": "make"}}]).decisions
    assert decision == {"type": "approve"}


@pytest.mark.parametrize(
    ("name", "args", "edited"),
    [
        ("run_command", {"command": "ls"}, "command"),
        ("plan_exit", {"text": "# Plan"}, "text"),
        ("write_file", {"path": "a", "content": "x"}, "content"),
        ("edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "new_string"),
        ("edit", {"file_path": "a", "new_string": "y", "edits": [{}]}, ""),
        ("mcp_git_log", {"command": "ls"}, ""),
        ("run_command", {"command": 7}, ""),
    ],
)
def test_a_card_names_the_text_to_edit(name: str, args: dict[str, Any], edited: str) -> None:
    [card] = describe_question(ask({"name": name, "args": args}))["requests"]
    assert (card["takes_edit"], card["edited"]) == (True, edited)


@pytest.mark.parametrize(
    ("request_", "edit", "reason"),
    [
        (CALL, [], "one JSON object"),
        (CALL, "ls", "one JSON object"),
        (CALL, None, "one JSON object"),
        (CALL, {}, "`command`: Field required"),
        (CALL, {"command": 7}, "`command`: Input should be a valid string"),
        (CALL, {"comand": "ls"}, "there is no argument `comand` (`command`?)"),
        (PLAN, {"text": " "}, "the plan is empty"),
    ],
)
def test_a_wrong_edit_is_answered_with_a_sentence(
    request_: dict[str, Any], edit: Any, reason: str
) -> None:
    with pytest.raises(UsageError) as error:
        read_answer(ask(request_), [{"edit": edit}])
    assert reason in error.value.message
    assert error.value.hint


def test_a_server_checks_its_own_arguments() -> None:
    request = {"name": "mcp_git_log", "args": {"count": 1}}
    [decision] = read_answer(ask(request), [{"edit": {"count": "x"}}]).decisions
    assert decision["edited_action"]["args"] == {"count": "x"}


@pytest.mark.parametrize("values", [{"b": 1}, {"a": "x"}, {"a": 1.5}, {"a": 1, "b": 1}, {"a": []}])
def test_a_form_that_does_not_fit_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="send it again"):
        read_answer(ask(FORM), [{"form": values}])


def test_a_form_is_filled_in() -> None:
    [decision] = read_answer(ask(FORM), [{"form": {"a": 1}}]).decisions
    assert decision["edited_action"]["args"] == {"a": 1}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_each_request_needs_a_choice(count: int) -> None:
    with pytest.raises(UsageError):
        read_answer(ask(CALL, CALL), [{"option": "allow"}] * count)


@pytest.mark.parametrize(
    ("choice", "decision"),
    [
        ({"option": "allow"}, {"type": "approve"}),
        ({"option": "allow", "mode": "", "model": ""}, {"type": "approve"}),
        ({"option": "allow", "mode": "edits"}, {"type": "approve", "mode": "edits"}),
        ({"option": "allow", "model": "a/b"}, {"type": "approve", "model": "a/b"}),
        ({"option": "allow", "draft": True}, {"type": "approve"}),
        ({"text": "Smaller."}, {"type": "respond", "message": "Smaller."}),
        ({"option": "reject", "mode": "auto"}, {"type": "reject", "message": ""}),
    ],
)
def test_a_plan_is_answered_with_what_carries_it_out(
    choice: dict[str, Any], decision: dict[str, Any]
) -> None:
    [given] = read_answer(ask(PLAN, kind="switch"), [choice]).decisions
    assert given == decision


def test_an_edited_plan_is_saved_first() -> None:
    args = {"plan": "p.md", "text": "# Mine"}
    choice = {"edit": args, "draft": True, "mode": "auto"}
    [decision] = read_answer(ask(PLAN, kind="switch"), [choice]).decisions
    action = {"name": "plan_exit", "args": args}
    assert decision == {"type": "edit", "edited_action": action, "draft": True, "mode": "auto"}


@pytest.mark.parametrize("chosen", [{"mode": "root"}, {"mode": "plan"}, {"model": 7}])
def test_what_cannot_carry_out_a_plan_is_refused(chosen: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        read_answer(ask(PLAN, kind="switch"), [{"option": "allow", **chosen}])


def test_a_switch_says_what_it_is_about() -> None:
    asked = ask(PLAN, {"name": "plan_enter", "args": {"reason": "big", "ends": ["make"]}})
    leaves, enters = describe_question(asked)["requests"]
    assert leaves["title"] == "The plan"
    assert "big" in enters["title"] and "make" in enters["title"]
    assert leaves["options"][0]["name"] != enters["options"][0]["name"]
