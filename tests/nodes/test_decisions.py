import pytest

from maxagent.nodes.decisions import decisions_in

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
def test_both_shapes_of_an_answer_are_read_and_no_other(answer, decisions):
    assert decisions_in(answer) == decisions
