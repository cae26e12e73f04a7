import json
from pathlib import Path

import pytest

from maxagent.tools.protected_paths import INSIDE
from maxagent.tools.sandbox.guard_rules import build_guard_rules
from maxagent.tools.sandbox.syscall_filter import find_filter_problem

pytestmark = pytest.mark.skipif(bool(find_filter_problem()), reason="no filter for this machine")
ROOT = Path("/w/project")


def test_rules_are_json_with_names_and_single_places() -> None:
    rules = build_guard_rules(ROOT, [ROOT / ".git" / "commondir", ROOT / "AGENTS.md"], ["make"])
    assert json.loads(json.dumps(rules)) == rules
    assert rules["places"] == ["/w/project/.git/commondir"]
    assert {"agents.md", ".npmrc", ".gitattributes", ".mvn"} <= set(rules["names"])


@pytest.mark.parametrize(
    ("command", "may_write"),
    [
        ("make test", False),
        ("python3 -m pytest", False),
        ("echo x > .venv/bin/git", False),
        ("pip install -e .", True),
        ("python3 -m venv .venv", True),
        ("uv sync && pytest", True),
        ("npm ci", True),
        ("cd web && pnpm i", True),
    ],
)
def test_only_installers_write_programs(command: str, may_write: bool) -> None:
    rules = build_guard_rules(ROOT, (), ["bash", "-c", command])
    extra = {*rules["inside"]} - {*INSIDE}
    assert extra == (set() if may_write else {".venv", "venv", "node_modules"})
