from typing import Any

import pytest

from maxagent.nodes.approval.decisions import (
    EDITED,
    is_answer_to_shown_question,
    parse_decisions,
    read_edited_arguments,
)

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


@pytest.mark.parametrize(
    "args",
    [
        {"command": "ls"},
        {"text": "a\nb\n\n'\"{x}\r\n"},
        {"edits": [{"old": None, "new": 1.5}], "all": True},
        {"text": "\u2028 \x85 \x1b[0m \u4e2d"},
        {},
    ],
)
def test_edited_arguments_are_read_from_the_result(args: dict[str, Any]) -> None:
    assert read_edited_arguments(f"{EDITED.format(args=args)}\n\nout\n") == args


@pytest.mark.parametrize(
    "arguments", ["", "[1]", "{'command': 'ls'", "{'a': open('x')}", "{'a': 1} more", "(" * 5000]
)
def test_other_results_have_no_edited_arguments(arguments: str) -> None:
    assert read_edited_arguments(f"{EDITED.partition('{')[0]}{arguments}\n\nout") is None
    assert read_edited_arguments("out") is None
