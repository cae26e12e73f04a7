"""A rule on files holds for the commands that read a folder above."""

from pathlib import Path

import pytest
from rule_texts import ruled

from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    for name in ("notes.txt", "private/key.txt", "src/a.py", "build/out.js"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    return Workspace(root)


def decide(workspace: Workspace, command: str, *rules: str) -> str:
    args, policy = {"command": command}, ruled("auto", *rules)
    return evaluate_call("run_command", "execute", args, (), workspace, policy).verdict


@pytest.mark.parametrize(
    "command",
    [
        "grep -r x .",
        "grep -rn x",
        "grep -Rl x . | head",
        "rg x",
        "rg -n x .",
        "ack x",
        "git grep x",
        "git archive HEAD | strings",
        "git log -p -3",
        "find . -name key.txt -exec cat {} +",
        "find . -type f | xargs cat",
        "find . -type f -print0 | xargs -0 grep x",
        "git ls-files | xargs head",
        "tar cf - .",
        "tar czf x.tgz * && echo done",
        "zip -r - .",
        "cp -r . /tmp/copy",
        "rsync -a ./ /tmp/copy",
        "diff -r . /tmp/copy",
        "cd src && grep -r x ..",
        "bash -c 'grep -r x .'",
        "sudo grep -r x .",
        "find . -name '*.py' -o -type f | xargs cat",
    ],
)
def test_folder_with_denied_file_is_not_read(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command) != "deny"
    assert decide(workspace, command, "deny read_file(private/**)") == "deny"
    assert decide(workspace, command, "ask Read(*.txt)", "deny Read(private/)") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "grep -r x src",
        "grep x notes.txt",
        "grep -r --exclude-dir=private x .",
        "grep -rn --include='*.py' x .",
        "rg -t py x",
        "rg -g '!private' x",
        "rg -g '*.js' x",
        "rg --files",
        "rg ignored build",
        "git grep x src",
        "git grep x -- . ':!private'",
        "find . -name '*.py' | xargs cat",
        "find . -type f -not -path './private/*' -exec cat {} +",
        "find . -path ./private -prune -o -type f -exec cat {} +",
        "find . -type f | wc -l",
        "find . -name key.txt",
        "ls -R .",
        "tar xf x.tar",
        "tar czf x.tgz src",
        "tar czf x.tgz --exclude=private .",
        "cp -r src copy",
        "cp notes.txt copy.txt",
        "rsync -a --exclude private ./ /tmp/copy",
        "git status",
        "git log --stat",
        "git log -p src/a.py",
        "du -sh .",
        "make build",
    ],
)
def test_folder_without_denied_file_is_read(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command, "deny read_file(private/**)") == decide(workspace, command)


def test_ignored_files_are_passed_by_rg(workspace: Workspace) -> None:
    (workspace.root / ".git").mkdir()
    (workspace.root / ".gitignore").write_text("private/\n")
    rule = "deny read_file(private/**)"
    assert decide(workspace, "rg x", rule) == decide(workspace, "git grep x", rule) == "allow"
    assert decide(workspace, "rg -u x", rule) == decide(workspace, "grep -r x .", rule) == "deny"
