from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ("secrets/x", "src/secrets/x", "server.pem", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    "line",
    ["npm install secrets", "git branch secrets", "git checkout secrets", "npm run test:secrets"]
    + ["./x.sh secrets", "mkdir -p secrets", "cd src && ./x.sh secrets"],
)
def test_bare_word_need_not_mean_a_folder(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).verdict is None


@pytest.mark.parametrize(
    "line",
    ["cat secrets/x", "./x.sh secrets/x", "npm install ./secrets", "cat src/secrets/x"]
    + ["ls secrets", "ls -R secrets", "grep -r x secrets", "rg x secrets", "cp -r secrets other"]
    + ["tar czf x.tgz secrets", "rsync -a secrets other", "mv secrets other", "sudo ls secrets"]
    + ["ln -s secrets other", "zip -r x.zip secrets", "find secrets", "tree secrets"]
    + [
        "git add secrets",
        "git grep x secrets",
        "rm -rf secrets",
        "cd secrets",
        "git -C secrets log",
    ]
    + ["cat secrets/*", "cd secrets && cat *", "ls secrets/*", "cat src/secrets/*"],
)
def test_entering_or_moving_secret_folder_is_refused(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).verdict == "deny"


@pytest.mark.parametrize(
    "line",
    ["ls *", "ls -d *", "du -sh *", "wc -l *", "git add *", "touch *", "chmod 644 *", "echo *"]
    + ["git log --oneline -- server.pem"],
)
def test_wildcard_names_and_modes_are_no_secret(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).verdict != "deny"
    assert analyze_command(line, ".", workspace).rule != "sensitive"


@pytest.mark.parametrize(
    "line", ["cat *", "file *", "tar czf x.tgz *", "cp * build/", "cat ./*", "cat */*", "./x.sh *"]
)
def test_a_secret_met_by_chance_is_asked(line: str, workspace: Workspace) -> None:
    command = analyze_command(line, ".", workspace)
    assert (command.verdict, command.rule) == ("ask", "sensitive")


@pytest.mark.parametrize(
    "line",
    ["cat *.pem", "cat s*", "cat * server.pem", "cat * < server.pem", "git log -p -- server.pem"],
)
def test_one_that_is_meant_is_refused(line: str, workspace: Workspace) -> None:
    assert analyze_command(line, ".", workspace).verdict == "deny"


def test_wildcard_inside_secret_folder_is_refused(workspace: Workspace) -> None:
    assert analyze_command("cat *", "secrets", workspace).verdict == "deny"
