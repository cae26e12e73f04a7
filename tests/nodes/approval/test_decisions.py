import pytest

from maxagent.nodes.approval.decisions import is_answer_to_shown_question, parse_decisions

APPROVE = {"type": "approve"}


@pytest.mark.parametrize(
    ("answer", "decisions"),
    [
        ({"decisions": [APPROVE]}, [APPROVE]),
        ([{"type": "accept"}], [APPROVE]),
        (
            [{"type": "ignore"}, {"type": "response", "args": "x"}],
            [{"type": "reject"}, {"type": "respond", "args": "x"}],
        ),
        ([{}], [{"type": ""}]),
        ("yes", []),
        (None, []),
        ({"decisions": "approve"}, []),
        (["approve"], []),
    ],
)
def test_decisions_are_parsed_from_two_shapes_only(answer, decisions):
    assert parse_decisions(answer) == decisions


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ({"decisions": [APPROVE], "was_read": True}, True),
        ({"decisions": [APPROVE], "was_read": "no"}, False),
        ({"decisions": [APPROVE]}, False),
        ([APPROVE], False),
        (None, False),
    ],
)
def test_an_answer_says_whether_its_question_was_read(answer, read):
    assert is_answer_to_shown_question(answer) is read
