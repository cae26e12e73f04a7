from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("cd nope; rm -rf *", "removal"),
        ("cd nope && rm -rf *", "command"),
        ("cd nope && ls; rm -rf *", "removal"),
        ("cd nope || { echo no; exit 1; }; rm -rf *", "command"),
        ("mkdir -p nope/x; cd nope/x; rm -rf *", "command"),
        ("cd nope; rm -rf build", "command"),
    ],
)
def test_a_removal_behind_a_folder_that_may_fail(line: str, rule: str, tmp_path: Path) -> None:
    assert analyze_command(line, ".", Workspace(tmp_path)).rule == rule
