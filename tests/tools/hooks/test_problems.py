from pathlib import Path

import pytest

from maxagent.config.settings.hooks import ConfiguredHook
from maxagent.tools.hooks.problems import HookProblem, find_problems


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("true", ""),
        ("no-such-program --flag", "no-such-program"),
        ("./check.sh", ""),
        ("./other.sh", "./other.sh"),
        ('"$CLAUDE_PROJECT_DIR"/check.sh', ""),
        ("if test -e x; then exit 2; fi", ""),
        ("X=1 no-such-program", ""),
        ("echo 'open", ""),
    ],
)
def test_a_missing_program_is_found(tmp_path: Path, command: str, program: str) -> None:
    (tmp_path / "check.sh").touch()
    hook = ConfiguredHook("on_stop", command, origin="config.yaml:2")
    problems = [HookProblem("program", "config.yaml:2", program)] if program else []
    assert list(find_problems([hook], ["edit"], tmp_path)) == problems


def test_a_matcher_of_no_tool_is_found(tmp_path: Path) -> None:
    hooks = [ConfiguredHook("before_tool", "true", name, origin=name) for name in ("Edit", "Eidt")]
    [problem] = find_problems(hooks, ["edit"], tmp_path)
    assert problem == HookProblem("matcher", "Eidt", "Eidt")
