import json
from pathlib import Path

import pytest

from maxagent.tools.protected_paths import INSIDE
from maxagent.tools.sandbox.guard_rules import build_guard_rules
from maxagent.tools.sandbox.syscall_filter import find_filter_problem

pytestmark = pytest.mark.skipif(bool(find_filter_problem()), reason="no filter for this machine")
ROOT = Path("/w/project")


def test_rules_are_json_with_names_and_single_places() -> None:
    rules = build_guard_rules(ROOT, [ROOT / ".git" / "commondir", ROOT / "AGENTS.md"])
    assert json.loads(json.dumps(rules)) == rules
    assert rules["places"] == ["/w/project/.git/commondir"]
    assert {"agents.md", ".npmrc", ".gitattributes", ".mvn"} <= set(rules["names"])


@pytest.mark.parametrize("may_write", [False, True])
def test_only_installers_write_programs(may_write: bool) -> None:
    rules = build_guard_rules(ROOT, (), writes_programs=may_write)
    extra = {*rules["inside"]} - {*INSIDE}
    assert extra == (set() if may_write else {".venv", "venv", "node_modules"})
