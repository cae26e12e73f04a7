import pytest

from maxagent.cli.execution.run import to_exit_code
from maxagent.sdk.events import Completion, Failure, Interrupted, Question


def ended(outcome):
    return Completion("t", outcome, "", None, [], "")


def edited(*files):
    return Completion("t", "unverified", "", None, list(files), "", "edit")


def asked(kind):
    return Question("t", "i", kind, [], [])


@pytest.mark.parametrize(
    ("last", "code"),
    [
        (ended("verified"), 0),
        (ended("unverified"), 0),
        (ended("undone"), 0),
        (ended("failed"), 1),
        (edited({"path": "a.py", "kind": "modified"}), 0),
        (edited(), 1),
        (asked("approval"), 4),
        (asked("review"), 4),
        (asked("limit"), 3),
        (Failure("", "", 1), 1),
        (Failure("", "", 3), 3),
        (Interrupted("t"), 130),
        (None, 130),
    ],
)
def test_the_last_event_decides_the_exit_code(last, code):
    assert to_exit_code(last) == code
