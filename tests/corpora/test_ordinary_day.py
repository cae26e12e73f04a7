from pathlib import Path

import pytest
from command_lines import HOME, TABLES, cases
from command_lines import project as lines_project
from ordinary_day import asked, commands, decision, policy, project

from maxagent.tools.permissions.policy import Policy
from maxagent.tools.workspace import Workspace


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("day")


@pytest.fixture(scope="module")
def workspace(folder: Path) -> Workspace:
    return project(folder)


def test_ordinary_day_asks_at_most_twelve_of_84(workspace: Workspace, folder: Path) -> None:
    assert len(set(commands())) >= 84
    result = asked(workspace, policy(workspace, folder, sandboxed=True))
    result.append("docker ps")  # it only reads, and is asked when it has failed inside
    assert len(result) * 84 <= 12 * len(commands()), result


def test_file_commands_run_unasked_without_sandbox(workspace: Workspace, folder: Path) -> None:
    rules = policy(workspace, folder, sandboxed=False)
    result = {command: decision(command, workspace, rules).rule for command in commands()}
    assert [item for item, rule in result.items() if rule == "covered"] == [
        "mkdir -p src/api/v1",
        "touch src/api/__init__.py",
        "cp src/app.py src/app_copy.py",
        "mv src/util.py src/utils.py",
        "rm docs/old.md",
        'echo "1.2.0" > VERSION',
        "cat > notes.md <<'END'\n# Notes\n- one\nEND",
        "sed -i 's/retries = 3/retries = 5/' src/app.py",
        "pip freeze > requirements.txt",
    ]


@pytest.mark.parametrize("mode", ["ask", "auto", "read-only"])
def test_other_modes_decide_as_without_safeguards(mode, workspace: Workspace, folder: Path) -> None:
    rules = policy(workspace, folder, sandboxed=True)
    for command in commands():
        plain = decision(command, workspace, Policy(mode))
        assert decision(command, workspace, Policy(mode, safeguards=rules.safeguards)) == plain


@pytest.mark.parametrize("sandboxed", [True, False])
def test_lines_asked_in_every_mode_stay_so(
    sandboxed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", HOME)
    workspace = lines_project(tmp_path)
    rules = policy(workspace, tmp_path, sandboxed=sandboxed)
    lines = [
        case.line
        for table in TABLES
        for case in list(cases(table))[int(sandboxed) :: 6]
        if case.verdict in ("deny", "ask")
    ]
    assert [line for line in lines if decision(line, workspace, rules).verdict == "allow"] == []
