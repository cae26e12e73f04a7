from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.loading import Loaded, load
from maxagent.config.settings import SecuritySection, Settings
from maxagent.tools.permissions import Policy, decide, policy_for
from maxagent.tools.workspace import Workspace


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def policy(home: Path, text: str, **environ: str) -> Policy:
    (home / "config.yaml").write_text(text)
    workspace = Workspace(home)
    return policy_for(load(home, home, environ=environ), workspace, usual="ask")


@pytest.mark.parametrize(
    ("security", "mode"),
    [
        ({}, "ask"),
        ({"mode": "auto"}, "auto"),
        ({"require_confirmation": False}, "auto"),
        ({"require_confirmation": False, "mode": "edits"}, "edits"),
    ],
)
def test_the_mode_is_the_configurations_or_the_usual_one(
    security: dict[str, object], mode: str, tmp_path: Path
) -> None:
    loaded = Loaded(Settings(security=SecuritySection.model_validate(security)), {})
    assert policy_for(loaded, Workspace(tmp_path), usual="ask").mode == mode


def test_the_whitelist_is_the_same_as_rules_that_allow(home: Path) -> None:
    rules = policy(home, "security:\n  command_whitelist: ['make  test', '']\n").rules
    origin = f"{home}/config.yaml:2"
    assert [(r.kind, r.text, r.origin) for r in rules] == [
        ("allow", "run_command(make  test:*)", origin)
    ]
    args = {"command": "make test all"}
    allowed = Policy("ask", rules)
    decision = decide("run_command", "execute", args, (), Workspace(home), allowed)
    assert (decision.verdict, decision.rule) == (
        "allow",
        f"allow run_command(make  test:*) ({origin})",
    )


def test_every_broken_rule_is_fatal_with_its_place(home: Path) -> None:
    text = (
        "permissions:\n"
        "  deny:\n"
        "    - run_command(git push:*)\n"
        "    - run_commander(x)\n"
        "  allow:\n"
        "    - rule: run_command(git diff:*)\n"
        "      match: [git log]\n"
    )
    with pytest.raises(UsageError) as raised:
        policy(home, text, LLC_PERMISSIONS__ASK="[edit()]")
    lines = raised.value.message.splitlines()
    assert lines[0] == "3 mistakes in the configuration:"
    file = home / "config.yaml"
    assert lines[1].startswith(f"  {file}:4: deny rule `run_commander(x)`: `run_commander` is no")
    assert lines[2].startswith(
        f"  {file}:6: allow rule `run_command(git diff:*)`: it does not meet"
    )
    assert lines[3].startswith("  environment LLC_PERMISSIONS__ASK: ask rule `edit()`:")


def test_a_wrong_pattern_of_a_check_is_told_when_the_policy_is_made() -> None:
    with pytest.raises(UsageError, match="leads out of the folder"):
        Policy("ask", after_edit={"../*.py": ["ruff"]})
