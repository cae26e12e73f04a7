"""A program that is allowed by its first words keeps its rules on flags and paths."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML
from rule_texts import ruled

from maxagent.tools.permissions.decision import Decision
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.workspace import Workspace

CORPUS = YAML(typ="safe").load((Path(__file__).parent / "whitelisted.yaml").read_text())
POLICY = ruled("ask", *(f"allow run_command({text}:*)" for text in CORPUS["whitelist"]))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("whitelisted") / "project"
    for name in ("src/app.py", "tests/test_app.py", "sub/x", "a.txt", ".env"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return Workspace(root)


def decided(line: str, workspace: Workspace) -> Decision:
    return evaluate_call("run_command", "execute", {"command": line}, (), workspace, POLICY)


@pytest.mark.parametrize("line", [*CORPUS["ask"], *CORPUS["unseen"]])
def test_flag_or_path_beyond_rule_is_asked(line: str, workspace: Workspace) -> None:
    decision = decided(line, workspace)
    assert decision.verdict != "allow" and decision.reason


@pytest.mark.parametrize("line", CORPUS["allow"])
def test_what_the_rule_means_runs_unasked(line: str, workspace: Workspace) -> None:
    decision = decided(line, workspace)
    assert decision.verdict == "allow", decision.reason


def test_the_question_says_what_goes_beyond(workspace: Workspace) -> None:
    decision = decided("pytest -q -p evil", workspace)
    assert "the rule for `pytest` does not cover `pytest -p`" in decision.reason
    assert decision.always == "run_command(pytest -q -p evil)"
