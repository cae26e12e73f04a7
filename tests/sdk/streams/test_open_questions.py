"""Kinds of open questions, as the run ends with them."""

import pytest

from maxagent.memory.checkpoints.open_questions import OpenQuestion
from maxagent.sdk.streams.open_questions import build_question


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
