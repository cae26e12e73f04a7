"""Which answer of the user lets a dearer model begin."""

from typing import Any

import pytest

from maxagent.nodes.turn.model_change import ApprovedChange, find_approved_change

FAILED, AFTER = "glm/glm-4.6", "openai/gpt-4o"
MARKS = {"model": AFTER, "failed": [FAILED], "reason": "quota"}


def decide(kind: str, **marks: Any) -> dict[str, Any]:
    return {"decisions": [{"type": kind}], **MARKS, **marks}


@pytest.mark.parametrize(
    ("answers", "model", "is_approved"),
    [
        ([decide("approve")], FAILED, True),
        ([decide("reject"), decide("approve")], FAILED, True),
        ([True, decide("accept")], FAILED, True),
        ([], FAILED, False),
        ([decide("reject")], FAILED, False),
        ([decide("approve"), decide("reject")], FAILED, False),
        # a limit is over since: the failed model may answer again
        ([decide("approve"), True], FAILED, False),
        # the user has chosen another model since
        ([decide("approve")], "deepseek/deepseek-chat", False),
        # of clients that give back less
        ([{"decisions": [{"type": "approve"}]}], FAILED, False),
        ([decide("approve", failed=None)], FAILED, False),
        ([decide("approve", model="")], FAILED, False),
        ([{**MARKS, "decisions": []}], FAILED, False),
    ],
)
def test_only_the_last_answer_approves_a_change(
    answers: list[object], model: str, is_approved: bool
) -> None:
    expected = ApprovedChange(AFTER, "quota") if is_approved else None
    assert find_approved_change(answers, model) == expected
