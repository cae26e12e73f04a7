"""Where only tests may change, nothing that surely writes another file runs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rule_texts import project, ruled

from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return project(tmp_path)


@pytest.mark.parametrize(
    ("effect", "args", "verdict"),
    [
        ("edit", {"path": "tests/test_cart.py"}, "allow"),
        ("edit", {"path": "tests/prices.csv"}, "allow"),
        ("edit", {"path": "cart.py"}, "deny"),
        ("edit", {"path": "tests/../cart.py"}, "deny"),
        ("execute", {"command": "echo x > cart.py"}, "deny"),
        ("execute", {"command": "echo x > tests/test_cart.py"}, "allow"),
        ("execute", {"command": "pytest"}, "allow"),
        ("read", {"path": "cart.py"}, "allow"),
    ],
)
def test_only_test_files_can_change(
    effect: str, args: Mapping[str, object], verdict: str, workspace: Workspace
) -> None:
    policy = replace(ruled("auto"), tests_only=True)
    tool = {"edit": "edit", "execute": "run_command"}.get(effect, "read_file")
    paths = [args["path"]] if "path" in args else []
    decision = evaluate_call(tool, effect, args, paths, workspace, policy)
    assert decision.verdict == verdict
    assert ("only test files can be changed" in decision.reason) == (verdict == "deny")


def test_a_link_among_the_tests_is_what_it_points_to(workspace: Workspace) -> None:
    (workspace.root / "cart.py").touch()
    (workspace.root / "test_cart.py").symlink_to("cart.py")
    policy = replace(ruled("auto"), tests_only=True)
    args = {"path": "test_cart.py"}
    decision = evaluate_call("edit", "edit", args, ["test_cart.py"], workspace, policy)
    assert decision.verdict == "deny"
