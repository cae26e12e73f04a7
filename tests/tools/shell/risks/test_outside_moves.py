"""Moves that take files of the project away, also to folders that any command may write to."""

from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.workspace import Workspace

AWAY = [
    "mv precious /tmp",
    "mv -t /tmp precious",
    "mv -f -- precious /tmp/kept",
    "cd sub && mv ../precious /var/tmp",
    'mv precious "$TMPDIR"',
    'mv precious "$(mktemp -d)"',
    "find . -name precious -exec mv {} /tmp \\;",
    "rsync -a --remove-source-files precious /tmp/",
    "tar --remove-files -cf /tmp/a.tar precious",
    "zip -m /tmp/a.zip precious",
    "for f in *; do mv $f /tmp; done",
    "bash -c 'mv precious /tmp'",
    "mv ./pre* /dev/shm/",
    "mv sub /tmp && ls",
]
STAYS = [
    "mv precious sub/",
    "mv a b",
    "mv /tmp/a /tmp/b",
    "mv /tmp/a here",
    "cp precious /tmp",
    "rsync -a precious /tmp/",
    "tar -cf /tmp/a.tar precious",
    'for f in *.txt; do mv "$f" "${f%.txt}.md"; done',
]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "sub").mkdir()
    (tmp_path / "precious").write_text("x")
    return Workspace(tmp_path)


@pytest.mark.parametrize("command", AWAY)
def test_move_out_of_project_is_asked(command: str, workspace: Workspace) -> None:
    analysis = analyze_command(command, ".", workspace)
    assert (analysis.verdict, analysis.rule) == ("ask", "move")


@pytest.mark.parametrize("command", STAYS)
def test_other_moves_and_copies_are_not_asked(command: str, workspace: Workspace) -> None:
    assert analyze_command(command, ".", workspace).rule != "move"
