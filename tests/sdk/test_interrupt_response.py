import pytest

from maxagent.config.errors import UsageError
from maxagent.memory.checkpoints.open_questions import OpenQuestion
from maxagent.nodes.approval.decisions import is_answer_to_shown_question
from maxagent.sdk.events import Question
from maxagent.sdk.interrupt_response import (
    Answer,
    OtherQuestionError,
    build_question,
    build_resume_value,
    list_answer_options,
    match_answers,
)

FORM = {
    "action_name": "asked",
    "allowed_decisions": ["respond"],
    "form": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]},
}
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
        (Answer(decisions=[{"type": "edit", "edited_action": {"args": {}}}]), [CALL], ["edit"]),
        (
            Answer(decisions=[{"type": "accept"}, {"type": "reject"}]),
            [CALL, ASKED],
            ["accept", "reject"],
        ),
    ],
)
def test_an_answer_becomes_one_decision_for_each_request(answer, configs, types):
    decided = build_resume_value(answer, configs)["decisions"]
    assert [decision["type"] for decision in decided] == types


@pytest.mark.parametrize(
    ("configs", "options"),
    [
        ([CALL], ["`--approve`", "`--reject WHY`", "`--answer TEXT`"]),
        ([CALL, ASKED], ["`--approve`", "`--reject WHY`", "`--answer TEXT`"]),
        ([ASKED], ["`--reject WHY`", "`--answer TEXT`"]),
        ([{"allowed_decisions": ["approve", "reject"]}], ["`--approve`", "`--reject WHY`"]),
    ],
)
def test_options_are_those_that_the_question_accepts(configs, options):
    assert list_answer_options(configs) == options


@pytest.mark.parametrize(
    ("decisions", "configs"),
    [
        ([{"type": "approve"}], [CALL, CALL]),
        ([{"type": "approve"}, {"type": "approve"}], [CALL]),
        ([{"typ": "approve"}], [CALL]),
        ([{"type": "yes"}], [CALL]),
        ([{"type": "approve"}], [ASKED]),
        ([{"type": "edit"}], [CALL]),
        ([{"type": "edit", "edited_action": "ls"}], [CALL]),
        ([{"type": "reject", "message": 3}], [CALL]),
        ([{"type": "respond", "message": ["blue"]}], [CALL, ASKED]),
    ],
)
def test_decisions_that_do_not_fit_are_refused(decisions, configs):
    with pytest.raises(UsageError, match="does not fit the question; expected: ") as refused:
        build_resume_value(Answer(decisions=decisions), configs)
    assert refused.value.message.count('"type"') == len(configs)


def test_it_says_whether_the_question_was_read():
    answer, other = Answer(approve=True), Answer(approve=True, question="q")
    assert not is_answer_to_shown_question(
        build_resume_value(answer, [CALL])
    ) and is_answer_to_shown_question(build_resume_value(other, [CALL]))


def test_an_empty_answer_is_refused():
    with pytest.raises(UsageError, match="empty"):
        build_resume_value(Answer(text=" "), [ASKED])


def test_a_question_cannot_be_approved():
    with pytest.raises(UsageError) as refused:
        build_resume_value(Answer(approve=True), [ASKED])
    assert "--answer" in refused.value.hint


@pytest.mark.parametrize(
    ("value", "fits"),
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
def test_an_answer_is_for_one_question(value: dict[str, str], fits: bool) -> None:
    answer, asked = Answer(approve=True, **value), Question("t", QUESTION, "approval", [], [])
    if fits:
        assert match_answers([answer], "thread", [asked]) == [(asked, answer)]
        return
    names = next(iter(value.values()))[: None if "parked" in value else 8]
    with pytest.raises(
        OtherQuestionError, match=f"asks another question than `{names}`"
    ) as refused:
        match_answers([answer], "thread", [asked])
    assert "mcode resume thread" in refused.value.hint


@pytest.mark.parametrize(
    ("value", "answered"),
    [
        ([{}], "a"),
        ([{}, {}], "ab"),
        ([{"parked": "b" * 8}], "b"),
        ([{}, {"question": "a" * 32}], "ab"),
        ([{"parked": "c" * 8}, {}, {"question": "b" * 32}], "cba"),
        ([{"parked": "c" * 8}, {"parked": "c" * 9}], ""),
        ([{}, {}, {}, {}], ""),
    ],
)
def test_each_of_several_answers_finds_its_question(
    value: list[dict[str, str]], answered: str
) -> None:
    asked = [Question("t", letter * 32, "approval", [], []) for letter in "abc"]
    answers = [Answer(reject=str(number), **each) for number, each in enumerate(value)]
    if not answered:
        with pytest.raises(OtherQuestionError):
            match_answers(answers, "thread", asked)
        return
    matched = match_answers(answers, "thread", asked)
    assert sorted(question.id[0] for question, _ in matched) == sorted(answered)
    for question, answer in matched:
        assert question.id.startswith(answer.parked or "") and answer.question in ("", question.id)


@pytest.mark.parametrize(
    ("answer", "config"),
    [
        (Answer(), CALL),
        (Answer(approve=True), ASKED),
        (Answer(text=" "), ASKED),
        (Answer(text="blue"), {**CALL, "allowed_decisions": ["approve", "reject"]}),
        (Answer(text="old"), FORM),
    ],
)
def test_each_door_gets_its_own_hint(answer, config):
    with pytest.raises(UsageError) as raised:
        build_resume_value(answer, [config])
    error = raised.value
    assert "--" in error.hint and "question." not in error.hint
    assert "--" not in str(error) and error.program_hint in str(error)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ([], "limit"),
        (["pull_request"], "pull_request"),
        (["review"], "review"),
        (["plan_enter"], "switch"),
        (["plan_exit"], "switch"),
        (["run_command", "plan_exit"], "approval"),
        (["ask_user"], "approval"),
    ],
)
def test_a_question_has_its_kind(names: list[str], kind: str) -> None:
    asked = OpenQuestion("q", "", tuple({"name": name} for name in names))
    assert build_question("t", asked).kind == kind
