from typing import Any

import pytest

from maxagent.nodes.compaction.standing_notes import build_standing_notes
from maxagent.nodes.options import Options

SCHEMA: dict[str, Any] = {"type": "object", "required": ["total"]}
PLAN = Options(plan=True, plan_file=".plan.md", speaker="plan")


@pytest.mark.parametrize(
    ("role", "options", "expected"),
    [
        ("build", Options(), []),
        ("build", Options(speaker="general", plan_file=".plan.md"), []),
        ("build", Options(schema=SCHEMA), ['"required": ["total"]']),
        ("plan", PLAN, ["in plan mode", "`.plan.md`"]),
        ("plan", Options(**PLAN, schema=SCHEMA), ["in plan mode", '"total"']),
        ("coder", Options(**PLAN, schema=SCHEMA), []),
    ],
)
def test_notes_that_hold_are_said_again(role: Any, options: Options, expected: list[str]) -> None:
    notes = build_standing_notes({"request": "Plan it", "folder": "/", "options": options}, role)
    assert bool(notes) == bool(expected)
    assert [text for text in expected if text not in notes] == []
