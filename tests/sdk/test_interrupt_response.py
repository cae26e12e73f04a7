import pytest

from maxagent.config.errors import UsageError
from maxagent.nodes.approval.decisions import is_answer_to_shown_question
from maxagent.sdk.interrupt_response import (
    Answer,
    OtherQuestionError,
    build_resume_value,
    check_question,
)

QUESTION = "0123456789abcdef0123456789abcdef"
CALL = {"action_name": "run_command", "allowed_decisions": ["approve", "edit", "reject", "respond"]}
ASKED = {"action_name": "ask_user", "allowed_decisions": ["respond"]}


@pytest.mark.parametrize(
    ("answer", "configs", "types"),
    [
        (Answer(approve=True), [CALL, CALL], ["approve", "approve"]),
        (Answer(reject="no"), [CALL, ASKED], ["reject", "reject"]),
        (Answer(text="blue"), [ASKED], ["respond"]),
        (Answer(approve=True, text="blue"), [CALL, ASKED], ["approve", "respond"]),
        (Answer(decisions=[{"type": "edit"}]), [CALL], ["edit"]),
    ],
)
def test_an_answer_becomes_one_decision_for_each_request(answer, configs, types):
    decided = build_resume_value(answer, configs)["decisions"]
    assert [decision["type"] for decision in decided] == types


def test_it_says_whether_the_question_was_read():
    one, other = Answer(approve=True), Answer(approve=True, question="q")
    assert not is_answer_to_shown_question(
        build_resume_value(one, [CALL])
    ) and is_answer_to_shown_question(build_resume_value(other, [CALL]))


def test_an_empty_answer_is_refused():
    with pytest.raises(UsageError, match="empty"):
        build_resume_value(Answer(text=" "), [ASKED])


def test_a_question_cannot_be_approved():
    with pytest.raises(UsageError) as refused:
        build_resume_value(Answer(approve=True), [ASKED])
    assert "--answer" in refused.value.hint


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({}, True),
        ({"question": QUESTION}, True),
        ({"question": QUESTION[:8]}, False),
        ({"parked": QUESTION}, True),
        ({"parked": QUESTION[:8]}, True),
        ({"parked": QUESTION[:7]}, False),
        ({"parked": ""}, False),
        ({"parked": "0" * 32}, False),
    ],
)
def test_an_answer_is_for_one_question(given: dict[str, str], fits: bool) -> None:
    if fits:
        check_question(Answer(approve=True, **given), "thread", QUESTION)
        return
    named = next(iter(given.values()))[: None if "parked" in given else 8]
    with pytest.raises(
        OtherQuestionError, match=f"asks another question than `{named}`"
    ) as refused:
        check_question(Answer(approve=True, **given), "thread", QUESTION)
    assert "mcode resume thread" in refused.value.hint
