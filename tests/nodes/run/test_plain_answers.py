from typing import Any

import pytest

from maxagent.nodes.run.plain_answers import describe_expected, to_decisions

CALL = {"action_name": "shell", "allowed_decisions": ["approve", "edit", "reject", "respond"]}
TEXT = {"action_name": "ask_user", "allowed_decisions": ["respond"]}
TESTS = {"action_name": "run_tests", "allowed_decisions": ["approve", "reject"]}
FORM = {"action_name": "s", "allowed_decisions": ["approve", "respond", "reject"], "form": {}}
YES, NO = [{"type": "approve"}], [{"type": "reject"}]


@pytest.mark.parametrize(
    ("config", "answer", "expected"),
    [
        (CALL, True, YES),
        (CALL, False, NO),
        (CALL, "yes", YES),
        (CALL, " Yes. ", YES),
        (CALL, "approve", YES),
        (CALL, "accept", YES),
        (CALL, "No!", NO),
        (CALL, {"type": "accept"}, [{"type": "accept"}]),
        (CALL, {"type": "reject", "message": "why"}, [{"type": "reject", "message": "why"}]),
        (TESTS, "ok", YES),
        (TESTS, "deny", NO),
        (TEXT, "blue", [{"type": "respond", "message": "blue"}]),
        (TEXT, "yes", [{"type": "respond", "message": "yes"}]),
        (TEXT, "no", [{"type": "respond", "message": "no"}]),
        (FORM, '{"name": "Ada"}', [{"type": "respond", "message": '{"name": "Ada"}'}]),
        (FORM, True, YES),
    ],
)
def test_plain_answer_becomes_a_decision(config: Any, answer: Any, expected: Any) -> None:
    assert to_decisions(answer, [config]) == expected


@pytest.mark.parametrize(
    ("configs", "answer"),
    [
        ([CALL], "yes, but not there"),
        ([CALL], "use tabs"),
        ([CALL], "1"),
        ([CALL], None),
        ([CALL], 1),
        ([CALL], ["yes"]),
        ([CALL], {"answer": "yes"}),
        ([CALL], ""),
        ([TEXT], " "),
        ([TEXT], True),
        ([TEXT], False),
        ([CALL, CALL], True),
        ([CALL, CALL], "yes"),
        ([CALL, TEXT], {"type": "accept"}),
        ([CALL], {"decisions": YES}),
        ([CALL, TESTS], [*YES, *YES]),
        ([], "yes"),
    ],
)
def test_unclear_answer_and_decisions_stay_as_they_are(configs: Any, answer: Any) -> None:
    assert to_decisions(answer, configs) == answer


def test_expected_answer_names_each_request() -> None:
    sentence = describe_expected([TESTS, TEXT])
    assert '{"decisions": [{"type": "approve" | "reject"}, {"type": "respond"}]}' in sentence
